import type { RecordType } from '../domain/change-types.ts'
import type { TokenScope } from '../domain/operator.ts'
import type { Schema } from '../operator/schema.ts'
import type { Call } from './admin-api.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

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
  /** Its JSON body, which `run` checks. `file`: any file. */
  takes?: { schema: Schema } | 'file'
  status: 200 | 201 | 202 | 204
  /** Null: nothing, or no JSON. A server loads no schemas of records, so it has their name. */
  answers: { schema: Schema } | RecordType | null
  /** The answer's value, or a `Reply` if it has headers. Throws `Refused`. */
  run(call: Call): Promise<unknown>
}

const STATUS: Record<Method, AdminOperation['status']> = {
  GET: 200,
  POST: 201,
  PUT: 204,
  PATCH: 200,
  DELETE: 204,
}

type Derived = 'scopes' | 'status' | 'answers'
type Given = Omit<AdminOperation, 'tag' | Derived> & Partial<Pick<AdminOperation, Derived>>

/** Operations of a tag. Scopes and status follow from the method, if they are not given. */
export function operations(tag: string, given: readonly Given[]): AdminOperation[] {
  return given.map((each) => {
    const { method } = each
    const scopes = method === 'GET' ? READ : MANAGE
    return { tag, scopes, status: STATUS[method], answers: null, ...each }
  })
}
