import type { TSchema } from 'typebox'
import type { TokenScope } from '../domain/operator.ts'
import type { Call } from './admin-api.ts'
import type * as schemas from './documentation/schemas.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The name of a body's schema. A server needs only the names. */
export type SchemaName = {
  [Name in keyof typeof schemas]: (typeof schemas)[Name] extends TSchema ? Name : never
}[keyof typeof schemas]

/**
 * The token scopes that may use an operation. A session has the scope `all`. The scope `organization`
 * reaches only the paths of its own organization, and other operations show it nothing else.
 */
export const READ: readonly TokenScope[] = ['read', 'organization', 'all']
export const READ_ALL: readonly TokenScope[] = ['read', 'all']
export const MANAGE: readonly TokenScope[] = ['organization', 'all']
export const ALL: readonly TokenScope[] = ['all']

/** An operation of the operator's API, with its description. */
export type AdminOperation = {
  id: string
  method: Method
  /** The path below `/admin/v1`. Names in braces are whole numbers. */
  path: string
  /** Null: open to callers who have not signed in. */
  scopes: readonly TokenScope[] | null
  tag: string
  summary: string
  /** Whether it tries a password, which is slowed down for each address. */
  isLimited?: boolean
  query?: Readonly<Record<string, { schema: object; description: string; isRequired?: boolean }>>
  /** The schema of its JSON body, for the description. `run` checks the body by its rules. `file`: any file. */
  takes?: SchemaName | 'file'
  status: 200 | 201 | 202 | 204
  /** Null: nothing, or no JSON. */
  answers: SchemaName | null
  /** The answer's value, or a `Reply` if it has headers. Throws `Refused`. */
  run(call: Call): Promise<unknown>
}
