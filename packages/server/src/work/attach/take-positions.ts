import { parseExactly } from '../../base/domain/common/exact-json.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { type Fix, fixFault } from '../../base/domain/position/fix.ts'
import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import { isLocalTime, parseMoment } from '../../base/domain/time/moment.ts'
import { formatDate, formatInstant, parseDate, utcDay } from '../../base/domain/time/time.ts'
import { instantOf } from '../../base/domain/time/time-zone.ts'
import { formerHolder, type TrackerMoves } from '../../base/domain/tracker-move.ts'
import type { Store } from '../../engine/store/store.ts'
import type { AppendOutcome, NewFix } from '../../engine/tracking/fold-tables.ts'
import { isAhead } from '../../engine/tracking/rules/judge.ts'
import { isWithheld } from '../../engine/tracking/withheld.ts'
import { EARLIEST } from '../import/position-row.ts'
import { type Reasons, refusedIn, type TakenDay, type Target } from './attach-state.ts'
import type { TraccarSource } from './traccar-source.ts'
import {
  attributesIn,
  countBetween,
  type PagePlace,
  type PositionRow,
  readDays,
  readPage,
  type SourceDay,
} from './traccar-tables.ts'

/** Reads the position of a device as the feed reads one that Traccar forwards. `received`: ms since the epoch. */
export type ReadForwarded = (
  position: Readonly<Record<string, unknown>>,
  device: Readonly<Record<string, unknown>>,
  received: number,
) => { fix: Fix; unread?: string[]; lost?: string[] } | { reason: string }

export type PositionParts = {
  source: TraccarSource
  store: Pick<Store, 'positions'>
  read: ReadForwarded
  rules: FoldRules
  /** The time zone of Traccar's times. */
  timeZone: string
  now(): number
  /** Waits until the next rows may be read. */
  pace(rows: number): Promise<void>
  /** Gets the number of rows of each page, once they are stored. */
  onRows(rows: number): void
  saveTarget(target: Target): Promise<void>
  signal: AbortSignal
}

/** The rows of a page. With as many of 4 KiB, the process stays far below 300 MB. */
const PAGE_ROWS = 2_000

/**
 * Stores the positions of all days since a day whose count or last time differs from what was taken. False: the object was
 * deleted meanwhile.
 */
export async function takePositions(
  parts: PositionParts,
  organization: Organization,
  moves: TrackerMoves,
  target: Target,
  since: string,
): Promise<boolean> {
  const { source, saveTarget, signal } = parts
  const found = await readDays(source, target.device, since)
  const before = JSON.stringify(target.days)
  noteGone(target, found, since)
  const runs = runsOf(found, target)
  if (runs.length === 0 && JSON.stringify(target.days) !== before) await saveTarget(target)
  for (const days of runs) {
    const taking = beginRun(parts, organization, moves, target)
    let place = await placeToBegin(parts, target, days)
    if (place.id === null) taking.resume(days[0]!.day)
    const end = nextDay(days.at(-1)!.day)
    for (;;) {
      signal.throwIfAborted()
      const rows = await readPage(source, target.device, place, end, PAGE_ROWS)
      if (!(await taking.take(rows))) return false
      const isEnd = rows.length < PAGE_ROWS
      if (isEnd) taking.finish()
      await saveTarget(target)
      parts.onRows(rows.length)
      await parts.pace(rows.length)
      if (isEnd) break
      const { fixtime, id } = rows.at(-1)!
      place = { fixtime, id }
    }
  }
  return true
}

/** Days that are next to each other among those of the source, and that have to be read. */
function runsOf(found: readonly SourceDay[], target: Target): SourceDay[][] {
  const runs: SourceDay[][] = []
  let isOpen = false
  for (const each of found) {
    const [count, last] = target.days[each.day] ?? []
    const isTaken = count === each.count && last === each.last
    if (!isTaken && !isDay(each.day)) {
      // MySQL has the day 0000-00-00, and PostgreSQL has years before Christ and years after 9999.
      target.days[each.day] = [each.count, each.last, { bad_time: each.count }]
    } else if (!isTaken && isOpen) runs.at(-1)!.push(each)
    else if (!isTaken) runs.push([each])
    isOpen = !isTaken && isDay(each.day)
  }
  return runs
}

/** Whether the positions of a day can be asked for. `9999-12-31` has no next day with a date. */
function isDay(day: string): boolean {
  return parseDate(day) !== undefined && day !== '9999-12-31'
}

function nextDay(day: string): string {
  return formatDate(utcDay(parseDate(day)!) + 1)
}

/** Behind the last position of a day that has only got later ones, else at its beginning. */
async function placeToBegin(
  { source }: PositionParts,
  { device, days: taken }: Target,
  [first, ...others]: readonly SourceDay[],
): Promise<PagePlace> {
  const { day, count } = first!
  const [known, last] = taken[day] ?? []
  const isGrown = others.length === 0 && known !== undefined && known < count
  if (isGrown && (await countBetween(source, device, day, last!)) === known) {
    return { fixtime: last!, id: null }
  }
  return { fixtime: day, id: 0 }
}

/** Notes a day that was taken, and how many of its positions that are stored here Traccar has deleted since. */
function noteDay(target: Target, day: string, taken: TakenDay): void {
  const [count, , reasons] = target.days[day] ?? [0, '']
  const lostRefused = Math.max(0, refusedIn(reasons) - refusedIn(taken[2]))
  target.gone += Math.max(0, count - taken[0] - lostRefused)
  target.days[day] = taken
}

/** Notes the days of which Traccar has nothing left. */
function noteGone(target: Target, found: readonly SourceDay[], since: string): void {
  const left = new Set(found.map(({ day }) => day))
  for (const day of Object.keys(target.days)) {
    const isCompared = since === '' || (isDay(day) && day >= since)
    if (!isCompared || left.has(day)) continue
    noteDay(target, day, [0, ''])
    delete target.days[day]
  }
}

/** Takes the rows of days in their order. A day is noted in the target when all of its rows are stored. */
function beginRun(
  parts: PositionParts,
  organization: Organization,
  moves: TrackerMoves,
  target: Target,
) {
  const { store, rules } = parts
  let open: { day: string; taken: TakenDay } | undefined
  let before = Number.NaN

  function finish(): void {
    if (open !== undefined) noteDay(target, open.day, open.taken)
    open = undefined
  }

  function count({ fixtime }: PositionRow, reason: string | undefined): void {
    const day = fixtime.slice(0, 10)
    if (open?.day !== day) {
      finish()
      open = { day, taken: [0, ''] }
    }
    const { taken } = open
    taken[0] += 1
    taken[1] = fixtime
    if (reason === undefined) return
    taken[2] ??= {}
    addOne(taken[2], reason)
  }

  return {
    finish,
    /** Continues a day that was taken before. */
    resume(day: string): void {
      const [count, last, reasons] = target.days[day]!
      open = { day, taken: reasons === undefined ? [count, last] : [count, last, { ...reasons }] }
      before = timeOf(last, parts.timeZone) ?? Number.NaN
    },
    /** False: the object does not exist. */
    async take(rows: readonly PositionRow[]): Promise<boolean> {
      const read = rows.map((row) => readRow(parts, organization, target, row))
      const fixes = read.flatMap((each): NewFix[] => {
        if (typeof each === 'string') return []
        const holder = formerHolder(moves, target.ident, each.timeDevice)
        return [{ object: holder ?? target.object, fix: each }]
      })
      const outcomes =
        fixes.length === 0 ? [] : await store.positions.append(organization.id, fixes, rules)
      const isDeleted = outcomes.some(
        (each, index) => each === 'unknown_object' && fixes[index]!.object === target.object,
      )
      if (isDeleted) return false
      let next = 0
      for (const [index, each] of read.entries()) {
        if (typeof each === 'string') {
          count(rows[index]!, each)
          continue
        }
        const reason = reasonOf(outcomes[next]!, each.timeDevice === before)
        if (reason === undefined) before = each.timeDevice
        count(rows[index]!, reason)
        next += 1
      }
      return true
    },
  }
}

/** Why a position is not stored as it is. Undefined: it is, by this or from elsewhere. */
function reasonOf(outcome: AppendOutcome, isRepeated: boolean): string | undefined {
  if (typeof outcome === 'object') return outcome.rejected
  if (isWithheld(outcome)) return outcome
  if (outcome === 'unknown_object') return 'former_holder_deleted'
  return outcome !== 'accepted' && isRepeated ? 'same_time' : undefined
}

/** The fix of a row, or the reason why it cannot be stored. */
function readRow(
  { read, timeZone, now }: PositionParts,
  organization: Organization,
  { ident, unread }: Target,
  row: PositionRow,
): Fix | string {
  const time = timeOf(row.fixtime, timeZone)
  if (time === undefined) return 'bad_time'
  if (time < EARLIEST) return 'before_1990'
  if (isAhead(organization, time, now())) return 'in_future'
  const attributes = attributesIn(row.attributes, parseExactly)
  if (attributes === undefined) addOne(unread, 'attributes')
  const received = timeOf(row.servertime, timeZone) ?? now()
  const position = {
    ...row,
    fixTime: formatInstant(time),
    valid: Number(row.valid) === 1,
    attributes: attributes ?? {},
  }
  const packet = read(position, { uniqueId: ident }, Math.min(received, now()))
  if ('reason' in packet) return packet.reason
  for (const name of packet.unread ?? []) addOne(unread, name)
  for (const name of packet.lost ?? []) addOne(unread, name)
  return fixFault(packet.fix, now()) ?? packet.fix
}

/** Milliseconds since the epoch. Undefined: there is no such moment. */
function timeOf(text: string, timeZone: string): number | undefined {
  const moment = parseMoment(text)
  return moment !== undefined && isLocalTime(text) ? instantOf(moment, timeZone) : moment
}

/** Names that devices send are not bounded. */
const MAX_NAMES = 100

function addOne(counts: Reasons, name: string): void {
  const isRoom = Object.hasOwn(counts, name) || Object.keys(counts).length < MAX_NAMES
  if (isRoom) counts[name] = (counts[name] ?? 0) + 1
}
