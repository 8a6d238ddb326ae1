import type {
  Credential,
  FeedClient,
  KeptDisclosee,
  TestScenario,
} from '../../base/domain/credential.ts'
import type { KeyScope } from '../../base/domain/key-scope.ts'
import type {
  Assignment,
  IdentOwner,
  NewRoutingRule,
  RoutingRule,
  WaitingIdent,
} from '../../base/domain/routing-rule.ts'
import type { Note } from './audit-store.ts'

export type NewKey = Pick<Credential, 'name' | 'hash' | 'prefix' | 'lastFour' | 'expiresAt'> & {
  /** Only of an API key or a link. */
  scope?: KeyScope | null
  /** Only of a link. */
  waySince?: number | null
  /** Only of a test key. */
  scenario?: TestScenario | null
  /** Only of an API key or a link. */
  recipient?: string | null
  purpose?: string | null
  /** Only of a feed token. */
  client?: FeedClient | null
}

/** The settings of an API key that change. */
type KeyPatch = Partial<Pick<Credential, 'scope' | 'recipient' | 'purpose'>>

export type KeyUse = {
  organization: number
  key: number
  usedAt: number
  /** Since they were last added. Of an API key none. */
  requests: Record<number, number>
}

/** API keys, or feed tokens, or links. The kinds are independent of each other. */
export interface KeyStore {
  issue(
    organization: number,
    key: NewKey,
    now: number,
    note?: Note<Credential>,
  ): Promise<Credential>
  /** All keys by id, ascending, including revoked and expired ones. */
  list(organization: number): Promise<Credential[]>
  /** Null if the organization has no such key. */
  find(organization: number, key: number): Promise<Credential | null>
  /** The keys of an organization, or of all, that have not ended at `now`. */
  active(now: number, organization?: number): Promise<Credential[]>
  /** Null if the organization has no such key. A second revocation keeps the time of the first. */
  revoke(
    organization: number,
    key: number,
    now: number,
    note?: Note<Credential>,
  ): Promise<Credential | null>
  /**
   * Issues a key with the name, the scope, the scenario, the client, the way and the disclosee of an old one, which ends
   * at `oldExpiresAt` or earlier.
   */
  rotate(
    organization: number,
    key: number,
    replacement: NewKey,
    oldExpiresAt: number,
    now: number,
    note?: Note<Credential>,
  ): Promise<Credential | null>
  /** The keys of all organizations, revoked ones too, for the process that checks keys. */
  all(): Promise<Credential[]>
  /** Notes when keys were last used and, of feed tokens, adds requests. Reports no change. */
  touch(uses: readonly KeyUse[]): Promise<void>
}

export interface ApiKeyStore extends KeyStore {
  /** Null if the organization has no such key. Another recipient or purpose becomes another disclosee. */
  update(
    organization: number,
    key: number,
    patch: KeyPatch,
    now: number,
    note?: Note<Credential, Credential>,
  ): Promise<Credential | null>
  /** The disclosees of an organization by id, also those that no key has any more. */
  disclosees(organization: number): Promise<KeptDisclosee[]>
}

export interface LinkStore extends KeyStore {
  /** Deletes the links of these organizations that ended before a moment. */
  purge(organizations: ReadonlySet<number>, before: number): Promise<void>
  /** Deletes the links of an organization that ended by `now`, except the `kept` that ended last. */
  trim(organization: number, now: number, kept: number): Promise<void>
}

/**
 * The owners of idents, which get the packets of the deployment's feed tokens. The first organization with an object of an ident
 * owns the ident, until it has no such object, unless a rule gives the ident to others (`ObjectStore.ofOrganization`). Others
 * own it too only if an operator says so.
 */
export interface RoutingStore {
  /** The owners of all idents, or all owners of the idents of an organization, by ident, some at a time. */
  owners(organization?: number): AsyncIterable<IdentOwner[]>
  /** The organizations that own an ident, ascending. */
  ownersOf(ident: string): Promise<number[]>
  /**
   * Makes organizations the owners of idents that no organization owns. Returns the owners of each ident afterwards: of
   * two calls at once, one decides. Organizations that do not exist are left out. Each rule counts the idents that it gave
   * an owner.
   */
  claim(wanted: ReadonlyMap<string, PlacingRule>, now: number): Promise<Map<string, number[]>>
  /**
   * Gives an ident to organizations, or refuses, in one transaction: a concurrent claim of the ident cannot make a
   * second owner. Watchers get the change of the owners. `settle` has to follow for each organization that has the ident.
   */
  assign(assignment: Assignment, note?: Note<Assigned>): Promise<Assigned | AssignRefusal>
  /**
   * An owner without an object of the ident gets one of this name, if it has room. If a process ends before, the first
   * packet makes the object.
   */
  settle(
    organization: number,
    assigned: { ident: string; name: string },
    now: number,
  ): Promise<unknown>
  /** In their order. */
  rules(): Promise<RoutingRule[]>
  /** Adds a rule before another one, or (null) at the end. */
  addRule(
    rule: NewRoutingRule,
    before: number | null,
    now: number,
    note?: Note<RoutingRule>,
  ): Promise<RoutingRule | 'no_organization' | 'too_many_rules' | 'no_such_before'>
  /** As `addRule`. Null if there is no such rule. */
  moveRule(
    id: number,
    before: number | null,
    note?: Note<RoutingRule>,
  ): Promise<RoutingRule | 'no_such_before' | null>
  /** Notes when rules that make no objects last matched. */
  noteMatches(lastAt: ReadonlyMap<number, number>): Promise<void>
  removeRule(id: number, note?: Note<RoutingRule>): Promise<RoutingRule | null>
  /** Those that no organization owns by now; the one that sent last comes first. */
  waiting(): Promise<WaitingIdent[]>
  /** Adds packets of distinct idents. Keeps the `MAX_WAITING_IDENTS` that sent last. */
  addWaiting(idents: readonly WaitingIdent[]): Promise<void>
  /** Takes an ident off the list. It is back when it sends again. False if it is not on the list. */
  dismiss(ident: string, note?: Note<true>): Promise<boolean>
}

/** The rule that gives an ident to organizations. */
type PlacingRule = Pick<RoutingRule, 'id' | 'organizations'>

/** An assigned ident. */
export type Assigned = {
  ident: string
  /** The wanted organizations. `object`: that of the ident. Null: there is none. `isNew`: it did not own the ident. */
  given: readonly { organization: number; object: number | null; isNew: boolean }[]
  /** The organizations that lost the ident, and those that owned it before and still do. */
  released: readonly number[]
  kept: readonly number[]
  /** The name of the device, if the ident was waiting and its sender gave one. */
  name: string | null
  /** Whether nobody owned the ident, and no packet with it was waiting. */
  isUnknown: boolean
}

/** Why an ident was not assigned. `full`: an organization without room for its object. `ownedBy`: other organizations. */
export type AssignRefusal = 'no_organization' | { full: number } | { ownedBy: readonly number[] }
