import { MAX_NEW_OBJECTS, type ObjectLimit } from '../../base/domain/limits.ts'
import { OBJECT_RULES } from '../../base/domain/monitored-object.ts'
import { type Organization, shownFrom } from '../../base/domain/organization.ts'
import type { Fix } from '../../base/domain/position/fix.ts'
import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import { DEPLOYMENT } from '../../base/domain/routing-rule.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import { instantOf } from '../../base/domain/time/time-zone.ts'
import { formerHolder } from '../../base/domain/tracker-move.ts'
import type { Directory } from '../../data/cache/directory.ts'
import type { Roster } from '../../data/cache/fleet-objects.ts'
import type { Ensured, ObjectMaker } from '../../engine/store/item-store.ts'
import type { Store } from '../../engine/store/store.ts'
import type { AppendOutcome, NewFix } from '../../engine/tracking/fold-tables.ts'
import {
  type ClockFault,
  clockFault,
  correctedTime,
  REJECT_REASONS,
} from '../../engine/tracking/rules/judge.ts'
import { isWithheld } from '../../engine/tracking/withheld.ts'
import { namingByDevice } from './device-names.ts'
import { type Append, gather } from './gather.ts'
import { type RefusedIdents, recentlyForeign, type WaitingIdents } from './noted-idents.ts'
import {
  BAD_IDENT,
  type Ingest,
  isFault,
  type Packet,
  type Rejected,
  type Row,
  type RowOutcome,
  rejectedFault,
  unreadIn,
} from './packet.ts'
import { openRoutedIngest, type TakeFor } from './routed-ingest.ts'

type IngestParts = {
  directory: Directory
  store: Store
  rules: FoldRules
  refusedIdents: Pick<RefusedIdents, 'note'>
  waitingIdents: Pick<WaitingIdents, 'note' | 'matched'>
  clock: Clock
}

/** Takes rows from the feed's formats to the store. */
export function openIngest(parts: IngestParts): Ingest {
  const { directory, store, rules, refusedIdents, clock } = parts
  const appendTo = appends(store, rules)
  const makeObjects = objectMaking(store, clock)
  const naming = namingByDevice(store, clock)

  const takeFor: TakeFor = async (fleet, rows, maker) => {
    const { organization } = fleet
    const now = clock.now()
    const [known, moves] = [await fleet.idents(), await fleet.trackerMoves()]
    const created = await makeObjects(organization, maker, known, rows)
    if (rows.some(hasLocalTime)) readLocalTimes(rows, known, await fleet.objects())
    if (organization.correctRollover) correctClocks(organization, rows, now)
    const unnamed = await naming.unnamed(fleet, rows, known)
    const withoutObject = (packet: Packet): Rejected => {
      if (!OBJECT_RULES.ident.holds(packet.ident)) return BAD_IDENT
      const isForeign = created.foreign.has(packet.ident)
      const reason = isForeign ? 'foreign_ident' : (created.beyond ?? 'unknown_ident')
      // The organization must not see packets of others.
      if (!isForeign || typeof maker === 'number') {
        refusedIdents.note(organization.id, reason, packet)
      }
      if (reason === 'unknown_ident') return unknownIdent(packet.ident)
      if (reason === 'foreign_ident') return foreignIdent(packet.ident)
      return beyondLimit(packet.ident, reason, organization)
    }
    /** The object that had the tracker at the time of a packet, or has it now if that time is wrong. */
    const objectOf = ({ ident, fix }: Packet, isClockWrong: boolean) =>
      (isClockWrong ? undefined : formerHolder(moves, ident, fix.timeDevice)) ??
      known.get(ident) ??
      created.ids.get(ident)
    const outcomes = new Array<RowOutcome>(rows.length)
    const batch: NewFix[] = []
    const places: number[] = []
    for (const [index, row] of rows.entries()) {
      const fault = isFault(row) ? undefined : timeFault(organization, row.fix, now)
      const isClockWrong = fault !== undefined
      const object = isFault(row) ? undefined : objectOf(row, isClockWrong)
      const rejected = rejectedBeforehand(row, object, withoutObject)
      const { fix } = row as Packet
      // The store knows no time before 1970.
      if (rejected !== undefined || fix.timeDevice < 0) {
        outcomes[index] = rejected ?? rejectedFor('beyond_retention')
        continue
      }
      // A packet without a fix is a sign of life, whatever its time is.
      const refused = hasPlace(fix) ? fault : undefined
      batch.push({ object: object!, fix, refused, isClockWrong, unread: unreadIn(row as Packet) })
      places.push(index)
    }
    const stored = batch.length === 0 ? [] : await appendTo(organization.id)(batch)
    const names = new Map<number, string>()
    for (const [i, outcome] of stored.entries()) {
      const packet = rows[places[i]!] as Packet
      outcomes[places[i]!] = rowOutcome(outcome, packet)
      const { object, dropped } = batch[i]!
      if (dropped !== undefined) packet.dropped = dropped
      const isNamed = packet.name !== undefined && unnamed.has(object)
      if (isNamed && !isWithheld(outcome)) names.set(object, packet.name!)
    }
    await naming.name(organization.id, names)
    return outcomes
  }

  const routed = openRoutedIngest(parts, takeFor)
  return {
    async take(token, rows, format) {
      if (token.organization === DEPLOYMENT) return routed(token, rows, format)
      const fleet = await directory.fleetOf(token.organization)
      if (fleet === null) return rows.map(({ ident }) => unknownIdent(ident ?? ''))
      return takeFor(fleet, rows, fleet.organization.createObjects ? token.id : null)
    },
  }
}

type Made = Pick<Ensured, 'ids' | 'beyond' | 'foreign'>
const NONE: Made = { ids: new Map(), beyond: null, foreign: new Set() }
/** The organization is full. That is known without a transaction. */
const FULL: Made = { ...NONE, beyond: 'limit_of_objects' }

/** The batches of each organization. */
function appends({ positions }: Store, rules: FoldRules): (organization: number) => Append {
  const appends = new Map<number, Append>()
  return (organization) => {
    let append = appends.get(organization)
    if (append === undefined) {
      append = gather((fixes) => positions.append(organization, fixes, rules), positions.appendSize)
      appends.set(organization, append)
    }
    return append
  }
}

type MakeObjects = (
  organization: Organization,
  maker: ObjectMaker | null,
  known: ReadonlyMap<string, number>,
  rows: Row[],
) => Promise<Made>

/** Creates objects for unknown idents, if somebody wants that. */
function objectMaking(store: Store, clock: Clock): MakeObjects {
  const foreign = recentlyForeign(clock)
  return async (organization, maker, known, rows) => {
    if (maker === null) return NONE
    const names = new Map<string, string>()
    for (const row of rows) {
      if (!isFault(row) && !known.has(row.ident) && OBJECT_RULES.ident.holds(row.ident)) {
        if (!names.has(row.ident)) names.set(row.ident, row.name ?? row.ident)
      }
    }
    if (names.size === 0) return NONE
    if (known.size >= organization.maxObjects) return FULL
    const { id } = organization
    const refused = foreign.among(id, names.keys())
    for (const ident of refused) names.delete(ident)
    if (names.size === 0) return { ...NONE, foreign: refused }
    const created = await store.objects.ensure(id, names, clock.now(), maker)
    if (created.foreign.size > 0) foreign.note(id, created.foreign)
    return refused.size === 0 ? created : { ...created, foreign: created.foreign.union(refused) }
  }
}

function hasLocalTime(row: Row): row is Packet {
  return !isFault(row) && row.isLocalTime
}

/** Reads each local time in the time zone of its object's device. A new object has UTC. */
function readLocalTimes(rows: Row[], known: ReadonlyMap<string, number>, objects: Roster): void {
  for (const row of rows.filter(hasLocalTime)) {
    const id = known.get(row.ident)
    const zone = id === undefined ? undefined : objects.get(id)?.object.accuracy.deviceTimezone
    if (zone !== undefined) row.fix.timeDevice = instantOf(row.fix.timeDevice, zone)
  }
}

/** Moves the times of receivers that have missed rollovers of the week number of GPS. */
function correctClocks(organization: Organization, rows: Row[], now: number): void {
  for (const row of rows) {
    const corrected = isFault(row) || correctedTime(organization, row.fix.timeDevice, now)
    if (typeof corrected !== 'number') continue
    const { fix } = row as Packet
    fix.timeDevice = corrected
    fix.corrected = true
  }
}

function rejectedBeforehand(
  row: Row,
  object: number | undefined,
  withoutObject: (packet: Packet) => Rejected,
): Rejected | undefined {
  if (isFault(row)) return rejectedFault(row)
  return object === undefined ? withoutObject(row) : undefined
}

/**
 * Why a fix has no time at which it can be stored, whichever object has it. A clock that is wrong is noted by its object,
 * whose own retention the store knows.
 */
function timeFault(
  organization: Organization,
  { timeDevice }: Fix,
  now: number,
): ClockFault | 'beyond_retention' | undefined {
  const fault = clockFault(organization, timeDevice, now)
  if (fault !== undefined) return fault
  return timeDevice < shownFrom(organization, undefined, now) ? 'beyond_retention' : undefined
}

/** Not 0, 0, which a receiver without a fix sends. */
function hasPlace({ latitude, longitude }: Fix): boolean {
  return latitude !== 0 || longitude !== 0
}

function rowOutcome(outcome: AppendOutcome, { ident }: Packet): RowOutcome {
  if (typeof outcome === 'object') return rejectedFor(outcome.rejected)
  if (outcome === 'unknown_object') return unknownIdent(ident)
  if (isWithheld(outcome)) return rejectedFor(outcome)
  return outcome === 'accepted' ? 'stored' : outcome
}

/** The same row will never be accepted. The store counts the packets that it judged as signs of life. */
function rejectedFor(reason: string): Rejected {
  return { reason, message: REJECT_REASONS[reason] ?? reason, resend: 'needless' }
}

function beyondLimit(ident: string, limit: ObjectLimit, { maxObjects }: Organization): Rejected {
  if (limit === 'limit_of_objects') {
    const message = `no object has the ident '${ident}', and the organization has reached its max_objects of ${maxObjects}`
    return { reason: limit, message, resend: 'never' }
  }
  const message = `no object has the ident '${ident}', and this feed token has created ${MAX_NEW_OBJECTS} objects in the last minute, which is its limit: send the row again in a minute`
  return { reason: limit, message, resend: 'later' }
}

function foreignIdent(ident: string): Rejected {
  const message = `no object has the ident '${ident}', and none was created: it is in use elsewhere on this server. An operator can assign it`
  return { reason: 'foreign_ident', message, resend: 'never' }
}

function unknownIdent(ident: string): Rejected {
  if (!OBJECT_RULES.ident.holds(ident)) return BAD_IDENT
  const message = `no object has the ident '${ident}', and the organization does not create objects automatically: create it, or see 'fleetgate org update --create-objects'`
  return { reason: 'unknown_ident', message, resend: 'never' }
}
