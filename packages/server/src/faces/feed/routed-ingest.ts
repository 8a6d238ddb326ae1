import { runInTurns } from '../../base/domain/common/slots.ts'
import type { Steps } from '../../base/domain/common/steps.ts'
import { OBJECT_RULES } from '../../base/domain/monitored-object.ts'
import type { RoutingRule, RuleIndex } from '../../base/domain/routing-rule.ts'
import type { Directory } from '../../data/cache/directory.ts'
import type { Fleet } from '../../data/cache/fleet-cache.ts'
import type { IdentOwners } from '../../data/cache/routing-cache.ts'
import type { ObjectMaker } from '../../engine/store/item-store.ts'
import type { Store } from '../../engine/store/store.ts'
import type { WaitingIdents } from './noted-idents.ts'
import {
  BAD_IDENT,
  isFault,
  type Packet,
  type Rejected,
  type Row,
  type RowOutcome,
  rejectedFault,
  routedFacts,
} from './packet.ts'
import type { FeedToken } from './token.ts'

export type RoutedParts = {
  directory: Pick<Directory, 'routing' | 'fleetOf'>
  store: Pick<Store, 'routing'>
  waitingIdents: Pick<WaitingIdents, 'note' | 'matched'>
}

/** Stores rows of an organization. `maker`: the token that makes objects of unknown idents. Null: none are made. */
export type TakeFor = (
  fleet: Fleet,
  rows: Row[],
  maker: ObjectMaker | null,
) => Promise<RowOutcome[]>

/** The rows that go to an organization, and their numbers in the request. */
type Delivery = { organization: number; isOwner: boolean; rows: Row[]; numbers: number[] }

/** The organizations that get an ident. Those that do not own it get no object of it. */
type Target = { organizations: readonly number[]; isOwner: boolean }

/**
 * Takes the rows of a token of the deployment: each goes to the organizations that own its ident. Rules give new idents
 * an owner. The others wait on a list, and are not stored.
 */
export function openRoutedIngest(
  { directory, store, waitingIdents }: RoutedParts,
  takeFor: TakeFor,
): (token: FeedToken, rows: Row[], format: string) => Promise<RowOutcome[]> {
  const { routing } = directory
  const placeNew = placing(routing, store, waitingIdents)

  return async (token, rows, format) => {
    const owned = routing.owners()
    const owners = owned instanceof Promise ? await owned : owned
    const only = rows.length === 1 ? rows[0]! : undefined
    const alone = only === undefined || isFault(only) ? undefined : owners.of(only.ident)
    if (alone?.length === 1) {
      const [outcome] = await deliver(token, { organization: alone[0]!, isOwner: true }, rows)
      return [outcome === undefined ? wait(only as Packet, format, null) : outcome]
    }
    return takeAll(owners, token, rows, format)
  }

  async function takeAll(
    owners: IdentOwners,
    token: FeedToken,
    rows: Row[],
    format: string,
  ): Promise<RowOutcome[]> {
    const { placed, lastRule } = await placeNew(owners, rows)
    const outcomes = new Array<RowOutcome | undefined>(rows.length)
    const all = deliveriesOf(rows, owners, placed)
    // Nothing of the request is acknowledged before everything of it has ended.
    const ended = await Promise.allSettled(all.map((each) => deliver(token, each, each.rows)))
    for (const [index, end] of ended.entries()) {
      if (end.status === 'rejected') throw end.reason
      for (const [i, number] of all[index]!.numbers.entries()) {
        outcomes[number] = joined(outcomes[number], end.value[i])
        const { dropped } = all[index]!.rows[i] as Packet
        if (dropped !== undefined) (rows[number] as Packet).dropped = dropped
      }
    }
    return rows.map((row, index) => {
      if (isFault(row)) return rejectedFault(row)
      return outcomes[index] ?? wait(row, format, lastRule)
    })
  }

  /** Undefined outcomes: the organization does not exist, or does not own the ident any more. */
  async function deliver(
    token: FeedToken,
    { organization, isOwner }: Pick<Delivery, 'organization' | 'isOwner'>,
    rows: Row[],
  ): Promise<(RowOutcome | undefined)[]> {
    const fleet: Fleet | null = await directory.fleetOf(organization)
    if (fleet === null) return []
    const maker = isOwner ? { deploymentToken: token.id } : null
    return (await takeFor(fleet, rows, maker)).map(withoutResend)
  }

  function wait(packet: Packet, format: string, rule: number | null): Rejected {
    if (!OBJECT_RULES.ident.holds(packet.ident)) return BAD_IDENT
    waitingIdents.note(packet, format, rule)
    const message = `no organization owns the ident '${packet.ident}': the operator of this server must assign it. The position was not stored`
    return { reason: 'waiting_ident', message, resend: 'waiting' }
  }
}

/** The organizations that get the new idents, by the rules. `lastRule`: the last rule, if there are rules. */
function placing(
  routing: Directory['routing'],
  { routing: store }: Pick<Store, 'routing'>,
  waitingIdents: Pick<WaitingIdents, 'matched'>,
) {
  /** Another process may have been faster, or an operator: then the owners are others. */
  async function claim(wanted: ReadonlyMap<string, RoutingRule>, now: number) {
    return wanted.size === 0 ? [] : await store.claim(wanted, now)
  }

  return async (owners: IdentOwners, rows: readonly Row[]) => {
    const fresh = new Map<string, Packet>()
    for (const row of rows) {
      if (isFault(row) || owners.of(row.ident) !== undefined) continue
      if (OBJECT_RULES.ident.holds(row.ident)) fresh.set(row.ident, row)
    }
    const placed = new Map<string, Target>()
    if (fresh.size === 0) return { placed, lastRule: null }
    const rules = await routing.rules()
    const wanted = new Map<string, RoutingRule>()
    const ruled = await runInTurns(matched(rules, fresh))
    for (const [ident, rule] of ruled) {
      if (rule.createObjects) {
        wanted.set(ident, rule)
        continue
      }
      placed.set(ident, { organizations: rule.organizations, isOwner: false })
      waitingIdents.matched(rule.id, arrivalOf(fresh))
    }
    for (const [ident, organizations] of await claim(wanted, arrivalOf(fresh))) {
      owners.note(ident, organizations)
      placed.set(ident, { organizations, isOwner: true })
    }
    return { placed, lastRule: rules.last?.id ?? null }
  }
}

/** When the packets of a request came. There is one. */
function arrivalOf(packets: ReadonlyMap<string, Packet>): number {
  return packets.values().next().value!.fix.timeServer
}

/** The rules of new idents, of which a request may bring thousands. */
function* matched(
  rules: RuleIndex,
  fresh: ReadonlyMap<string, Packet>,
): Steps<Map<string, RoutingRule>> {
  const found = new Map<string, RoutingRule>()
  for (const [ident, packet] of fresh) {
    const rule = rules.matching(routedFacts(packet))
    if (rule !== undefined) found.set(ident, rule)
    yield
  }
  return found
}

/** Organizations correct the times of packets by their own settings, so each gets packets of its own. */
function deliveriesOf(
  rows: readonly Row[],
  owners: IdentOwners,
  placed: ReadonlyMap<string, Target>,
): Delivery[] {
  const found = new Map<number, Delivery>()
  for (const [number, row] of rows.entries()) {
    if (isFault(row)) continue
    const target = placed.get(row.ident)
    const organizations = target?.organizations ?? owners.of(row.ident) ?? []
    const isOwner = target?.isOwner ?? true
    const isShared = organizations.length > 1
    for (const organization of organizations) {
      const key = isOwner ? organization : -organization
      let delivery = found.get(key)
      if (delivery === undefined) {
        delivery = { organization, isOwner, rows: [], numbers: [] }
        found.set(key, delivery)
      }
      delivery.rows.push(isShared ? { ...row, fix: { ...row.fix } } : row)
      delivery.numbers.push(number)
    }
  }
  return [...found.values()]
}

/**
 * The organization's limits, or its choice, kept a packet of a known ident from having an object. A forward that repeats
 * such packets would hold up those of others.
 */
function withoutResend(outcome: RowOutcome): RowOutcome | undefined {
  if (typeof outcome === 'string') return outcome
  if (outcome.reason === 'foreign_ident') return undefined
  const isOfObject = outcome.reason === 'unknown_ident' || outcome.reason === 'limit_of_objects'
  return isOfObject ? { ...outcome, resend: 'waiting' } : outcome
}

/**
 * The outcome of a row that goes to several organizations is the first of these that it has: a row that one of them has no
 * object for is not acknowledged as stored. The settings of an organization may reject a row that others store.
 */
const RANKS = ['later', 'waiting', 'stored', 'conflict', 'duplicate', 'needless', 'never'] as const

function joined(
  one: RowOutcome | undefined,
  other: RowOutcome | undefined,
): RowOutcome | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const rank = (outcome: RowOutcome) =>
    RANKS.indexOf(typeof outcome === 'string' ? outcome : outcome.resend)
  return rank(one) <= rank(other) ? one : other
}
