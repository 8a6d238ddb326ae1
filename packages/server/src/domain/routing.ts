/** Where a call takes the id of an organization: the deployment itself. No organization has this id. */
export const DEPLOYMENT = 0

/** The conditions of rules. Each names values, one of which the packet must have. */
export const RULE_CONDITIONS = ['ident', 'prefix', 'group', 'attribute'] as const
export type RuleCondition = (typeof RULE_CONDITIONS)[number]

/** A rule of the deployment: it places idents that no organization owns. */
export type RoutingRule = {
  id: number
  condition: RuleCondition
  /** The name of the attribute. Null with any other condition. */
  attribute: string | null
  /** Idents, beginnings of idents, groups, or values of the attribute. One of them is enough. */
  anyOf: string[]
  /** The organizations that get the ident. */
  organizations: number[]
  /**
   * Whether the organizations own the ident, and get an object. Otherwise it is on their lists of refused idents until
   * somebody creates the object.
   */
  createObjects: boolean
  /** Milliseconds since the epoch. */
  createdAt: number
}
export type NewRoutingRule = Omit<RoutingRule, 'id' | 'createdAt'>

/** How many rules a deployment may have. A new ident is compared with all of them. */
export const MAX_RULES = 1_000

/** The facts of an ident's packet that rules look at. */
export type RoutedFacts = {
  ident: string
  /** The ids and names of the groups of its device. */
  groups: readonly string[]
  /** The value of an attribute, as text. Undefined if the packet has none of that name. */
  attribute(name: string): string | undefined
}

/** An ident that trackers send with a token of the deployment, and that no organization owns. */
export type WaitingIdent = {
  ident: string
  /** The format of the last packet. */
  format: string
  /** How many packets came since the ident is on the list. */
  packets: number
  /** When the first and the last packet came: milliseconds since the epoch. */
  firstAt: number
  lastAt: number
  /** The place of the last packet, degrees. Null if it had no fix. */
  latitude: number | null
  longitude: number | null
  /** The name and the group of the device, if the forward brings them. */
  name: string | null
  group: string | null
  /** The last rule that was tried, and did not match. Null if there was none. */
  rule: number | null
}

/** How many idents wait at most: the ones that sent last. */
export const MAX_WAITING_IDENTS = 10_000

/** An ident, and an organization that owns it. */
export type IdentOwner = { ident: string; organization: number }
