import type { TSchema } from 'typebox'
import type { Call } from './admin-api.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

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
  query?: Readonly<Record<string, { schema: TSchema; description: string }>>
  /** What its JSON body is; `file`: any file. */
  takes?: TSchema | 'file'
  status: 200 | 201 | 202 | 204
  /** Null: nothing, or no JSON. */
  answers: TSchema | null
  /** The value to be answered, or a `Reply` where headers go with it. Throws `Refused`. */
  run(call: Call): Promise<unknown>
}
