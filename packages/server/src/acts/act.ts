import type { Account, HeldRole, Role } from '../base/domain/account.ts'
import type { OneAfterAnother } from '../base/domain/common/slots.ts'
import type { RecordType } from '../base/domain/item-rules.ts'
import type { MonitoredObject } from '../base/domain/monitored-object.ts'
import type { Organization } from '../base/domain/organization.ts'
import type { Rules } from '../base/domain/setting-rule.ts'
import type { Issuer } from '../engine/store/access-store.ts'
import type { Store } from '../engine/store/store.ts'
import type { Disclosing } from './disclosing.ts'
import type { Schema } from './document-schema.ts'
import type { Body } from './input.ts'
import type { Known, KnownFleet } from './known.ts'
import type { QueryInput } from './query.ts'
import { existing } from './refused.ts'

/*
 * An act of the operator, stated once: who may do it, what it takes, what it answers, and the words about it. The
 * admin API and the command line are its faces.
 */

/**
 * The callers who may do an act. `everybody`: people who have not signed in too. `people`: a person who has signed in, about the
 * own account. A list: whoever has one of these roles, in the organization of the act or in the deployment.
 */
export type Who = 'everybody' | 'people' | readonly Role[]

/** To look at an organization: its map, objects, days, reports and usage. */
export const VIEWERS: readonly Role[] = ['operator', 'support', 'administrator', 'viewer']
/** To look at what runs it: keys, webhooks, people, the audit log. */
export const OVERSEERS: readonly Role[] = ['operator', 'support', 'administrator']
/** To change what an organization decides. */
export const ADMINISTRATORS: readonly Role[] = ['operator', 'administrator']
/** To look at the deployment. */
export const SUPPORTERS: readonly Role[] = ['operator', 'support']
/** To change the deployment, and what limits an organization. */
export const OPERATORS: readonly Role[] = ['operator']

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The one who does an act. */
export type Actor = {
  /** Null: a token, or the command line. */
  account: Account | null
  roles: readonly HeldRole[]
  /** As the issuer of a credential: a person, or a token with the person who issued it. The command line is neither. */
  issuer: Issuer
  /** The session of a person. Null: a token, or the command line. */
  session: { id: number; isSignOn: boolean } | null
  /** When the token ends that does it. Null: never, or it is not a token. */
  endsAt: number | null
}

/** The input of an act. */
export type ActCall = {
  /** The store in the name of the caller: its changes go into the audit log. */
  store: Store
  by: Actor
  /** The numbers in the path, by the names in braces. */
  params: Readonly<Record<string, number>>
  /** The members of a JSON body; empty if there is none. */
  body: Body
  query: URLSearchParams
  known: Known
  /** An act calls it for all that it shows of where objects are or were. */
  disclosed: Disclosing
  /** Runs work on an organization alone, for changes that depend on the current state. */
  inTurn: OneAfterAnother
  now: number
}

export type Act<Answer = unknown> = {
  id: string
  method: Method
  /** The path below `/admin/v1`. Names in braces are whole numbers. */
  path: string
  who: Who
  /** Whether no token may do it, whatever its role: it gives somebody a way in, which would outlive the token. */
  isForPeople?: boolean
  /** Whether it has no body, and may be refused for the state of the thing. */
  mayConflict?: true
  tag: string
  /** The words about it in the description of the admin API and, without its capital, in the help of its command. */
  summary: string
  query?: Pick<QueryInput<object>, 'described'> &
    Partial<Pick<QueryInput<object>, 'rules' | 'defaults'>>
  /** Its JSON body, which `run` checks. */
  takes?: { schema: Schema; rules?: Rules<object> }
  status: 200 | 201 | 202 | 204
  /**
   * Null: nothing, or no JSON; what `run` returns is then for the command line alone. A server loads no schemas of
   * records, so it has their name.
   */
  answers: { schema: Schema } | RecordType | null
  /** The answer's value. Throws `Refused`. */
  run(call: ActCall): Promise<Answer>
}

export const STATUS: Record<Method, Act['status']> = {
  GET: 200,
  POST: 201,
  PUT: 204,
  PATCH: 200,
  DELETE: 204,
}

type Derived = 'status' | 'answers'
export type GivenAct<Answer> = Omit<Act<Answer>, 'id' | 'tag' | Derived> &
  Partial<Pick<Act, 'id' | Derived>>

/** Acts of a tag, by their ids, or by names for those that have other ids. The status follows from the method, if it is not given. */
export function acts<Answers extends Record<string, unknown>>(
  tag: string,
  given: { readonly [Id in keyof Answers]: GivenAct<Answers[Id]> },
): { readonly [Id in keyof Answers]: Act<Answers[Id]> } {
  const made = Object.entries<GivenAct<unknown>>(given).map(([id, each]) => [
    id,
    { id, tag, status: STATUS[each.method], answers: null, ...each },
  ])
  return Object.fromEntries(made)
}

/** The organizations in which an actor has one of these roles. Null: in all. */
export function reachOf(by: Pick<Actor, 'roles'>, roles: readonly Role[]): number[] | null {
  const found = by.roles.filter(({ role }) => roles.includes(role))
  const organizations = found.map(({ organization }) => organization)
  return organizations.includes(null) ? null : organizations.filter((each) => each !== null)
}

/** The organization of a path. Throws `Refused` if there is none. */
export async function organizationOf({
  store,
  params,
}: Pick<ActCall, 'store' | 'params'>): Promise<Organization> {
  return existing(await store.organizations.find(params.organization!), 'organization')
}

/** The object of a path. Throws `Refused` if the organization has none of that id. */
export async function objectOf({ store, params }: ActCall): Promise<MonitoredObject> {
  return existing(await store.objects.find(params.organization!, params.object!), 'object')
}

/** The current fleet of the organization of a path. Throws `Refused` if there is none. */
export async function fleetOf({ known, params }: ActCall): Promise<KnownFleet> {
  return existing(await known.fleetOf(params.organization!), 'organization')
}
