import type { RecordType } from '../domain/items.ts'
import type { Schema } from '../operator/schema.ts'
import type { Who } from '../operator/who.ts'
import type { Call } from './admin-api.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An operation of the operator's API, with its description. */
export type AdminOperation = {
  id: string
  method: Method
  /** The path below `/admin/v1`. Names in braces are whole numbers. */
  path: string
  who: Who
  /** Whether no token may do it, whatever its role: it gives somebody a way in, which would outlive the token. */
  isForPeople?: boolean
  tag: string
  summary: string
  /** Whether it tries a password, which is slowed down for each address. */
  isLimited?: boolean
  /** Whether it has no body, and may be refused for the state of the thing. */
  mayConflict?: true
  query?: Readonly<Record<string, { schema: object; description: string; isRequired?: boolean }>>
  /**
   * Whether its body is a form with a signed token, which other servers post: it proves who sent it, so it needs no
   * `Origin` of the console.
   */
  takesSignedForm?: true
  /** Its JSON body, which `run` checks. `file`: any file. */
  takes?: { schema: Schema } | 'file'
  status: 200 | 201 | 202 | 204 | 303
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

type Derived = 'status' | 'answers'
/** An operation without what follows from its tag and method. */
export type GivenOperation = Omit<AdminOperation, 'tag' | Derived> &
  Partial<Pick<AdminOperation, Derived>>

/** Operations of a tag. The status follows from the method, if it is not given. */
export function operations(tag: string, given: readonly GivenOperation[]): AdminOperation[] {
  return given.map((each) => ({ tag, status: STATUS[each.method], answers: null, ...each }))
}

/** The paths of the operator's API begin with it. */
export const ADMIN_PREFIX = '/admin/v1'
