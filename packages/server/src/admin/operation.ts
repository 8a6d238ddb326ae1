import type { TSchema } from 'typebox'
import type { Call } from './admin-api.ts'
import type * as schemas from './documentation/schemas.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a body is, by its name among the schemas: a server needs their names alone. */
export type SchemaName = {
  [Name in keyof typeof schemas]: (typeof schemas)[Name] extends TSchema ? Name : never
}[keyof typeof schemas]

/** One operation of the operator's API, and what its description says of it. */
export type AdminOperation = {
  id: string
  method: Method
  /** Below `/admin/v1`; what stands in braces is a whole number. */
  path: string
  tag: string
  summary: string
  /** Whether it can be asked for without having come in. */
  isOpen?: boolean
  /** Whether it is an attempt at the password, of which an address has some few. */
  isLimited?: boolean
  query?: Readonly<Record<string, { schema: object; description: string }>>
  /** What its JSON body is; `file`: any file. */
  takes?: SchemaName | 'file'
  status: 200 | 201 | 202 | 204
  /** Null: nothing, or no JSON. */
  answers: SchemaName | null
  /** The value to be answered, or a `Reply` where headers go with it. Throws `Refused`. */
  run(call: Call): Promise<unknown>
}
