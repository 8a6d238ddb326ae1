import { takeTurn } from '../../base/domain/common/slots.ts'
import { FIX_RECORD } from '../../base/domain/position/fix-record.ts'
import { LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { ChangeView, NewestPosition, PositionName } from '../../engine/store/change-log.ts'
import {
  earlierTrips,
  newestPosition,
  type ShownRow,
  shownRecord,
  type TripReader,
} from '../../engine/store/shown-row.ts'
import { NO_SHIFTS, type ObjectShifts } from '../../engine/tracking/object-shifts.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { type Dialect, inParts, type Sql, type Tables } from '../tables/sql.ts'
import { storedRows } from './merged-rows.ts'
import { BEGINNING } from './packing.ts'
import { type PositionForm, previousOfEach, type TablesOf } from './position-tables.ts'
import { shiftReader } from './shifts.ts'
import {
  findRecords,
  newestShown,
  type Span,
  type StoredBlock,
  unpackRows,
} from './stored-blocks.ts'

const IS_MARKED = 'SELECT 1 FROM refolds WHERE organization = $1 AND object = $2'

type ShownPositions = Pick<ChangeView, 'positions' | 'newest' | 'newestIn' | 'earlierTrips'>

/** The positions that answers show now, over views of organizations. */
export function shownPositions(
  dialect: Dialect,
  form: PositionForm,
  tablesOf: TablesOf,
): (read: Tables['read'], organization: number) => ShownPositions {
  const named = namedPositions(dialect, form)
  const newest = newestPositions(dialect, form)
  const { namedAtOnce, blocksAtOnce } = form

  return (read, organization) => ({
    async positions(wanted) {
      const found: (Uint8Array | null)[] = Array(wanted.length).fill(null)
      const find = (part: readonly PlacedName[][]) =>
        read((sql) => named.find(sql, organization, part, found))
      const searches = missingOf(wanted, found, namedAtOnce)
      const atOnce = Math.ceil((namedAtOnce * searches.length) / wanted.length)
      await inParts(await inParts(searches, atOnce, find), namedAtOnce, find)
      let missing = missingOf(wanted, found)
      while (missing.length > 0) {
        missing = await inParts(missing, blocksAtOnce, (part) =>
          read((sql) => named.findPacked(sql, organization, part, found)),
        )
        if (missing.length > 0) await takeTurn()
      }
      return found
    },
    newest: (objects, range) =>
      inParts(objects, blocksAtOnce, (part) =>
        read((sql) => newest.shown(sql, organization, part, range)),
      ),
    newestIn: (wanted) =>
      inParts(wanted, blocksAtOnce, (part) =>
        read((sql) => newest.stored(sql, organization, part)),
      ),
    earlierTrips: (object, from, tripsSince) =>
      read((sql) =>
        earlierTrips(tripReader(sql, tablesOf, organization, object), from, tripsSince),
      ),
  })
}

function tripReader(
  sql: Sql,
  tablesOf: TablesOf,
  organization: number,
  object: number,
): TripReader {
  const tables = tablesOf(sql, organization, object)
  const rows = storedRows(tables.rows, tables.blocks)
  return {
    *isMarked() {
      return (yield* sql.one(IS_MARKED, [organization, object])) !== undefined
    },
    since: (time, limit) => rows.first({ after: time - 1, to: LAST_TIME }, limit),
    *newest() {
      return (yield* rows.last({ after: BEGINNING, to: LAST_TIME }, 1))[0]?.time ?? null
    },
  }
}

/** A position with its place among those that are wanted. */
type PlacedName = PositionName & { place: number }

/** The positions that were not found, by object, in the order of time, at most `limit` of an object together. */
function missingOf(
  wanted: readonly PositionName[],
  found: readonly (Uint8Array | null)[],
  limit = Number.POSITIVE_INFINITY,
): PlacedName[][] {
  const missing = new Map<number, PlacedName[]>()
  for (const [place, { object, time }] of wanted.entries()) {
    if (found[place] !== null) continue
    const names = missing.get(object)
    if (names === undefined) missing.set(object, [{ object, time, place }])
    else names.push({ object, time, place })
  }
  return Array.from(missing.values()).flatMap((names) => {
    names.sort((a, b) => a.time - b.time)
    const from = Array.from({ length: Math.ceil(names.length / limit) }, (_, at) => at * limit)
    return names.length <= limit ? [names] : from.map((first) => names.slice(first, first + limit))
  })
}

type FoundRows = { rows: Uint8Array | null; sizes: string }

/** Positions by object and time. */
function namedPositions(dialect: Dialect, form: PositionForm) {
  const { wanted, lists, bytes, numbers, trackRow, atMost } = form
  const shiftsAmong = shiftReader(dialect)
  /** The rows of a range of each object. One value for all costs half of a value for each. The limit keeps it from being computed twice. */
  const ranges = `
    SELECT ${bytes('rows')} AS rows, ${numbers('coalesce(length(rows), 0)')} AS sizes FROM (
      SELECT (
        SELECT ${bytes(trackRow)} FROM (
          SELECT hidden, fix, track FROM positions
          WHERE organization = $1 AND object = wanted.id
            AND time_device >= wanted.since AND time_device <= wanted.until
          ORDER BY time_device LIMIT ${atMost('$2')}
        ) AS own
      ) AS rows FROM ${wanted(3, 'id', 'since', 'until')} ORDER BY place LIMIT 1000000
    ) AS chosen`
  const previous = previousOfEach(form)

  return {
    /**
     * Puts the records of positions of the table at their places. Reads the rows from the first to the last position of each
     * object, at most twice as many as are wanted, so that others between them cost little. Returns the positions after them,
     * each alone.
     */
    *find(
      sql: Sql,
      organization: number,
      part: readonly PlacedName[][],
      found: (Uint8Array | null)[],
    ): Work<PlacedName[][]> {
      const objects = part.map(([first]) => first!.object)
      const most = 2 * part.reduce((length, names) => Math.max(length, names.length), 0)
      const [firsts, lasts] = [part.map(([first]) => first!.time), part.map(lastTime)]
      const shifting = shiftsAmong(sql, organization, objects)
      const values = [organization, most, ...lists(objects, firsts, lasts)]
      const { rows, sizes } = (yield* sql.one<FoundRows>(ranges, values))!
      const shifts = yield* shifting
      if (rows === null) return []
      const all = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
      let end = 0
      return sizes.split(',').flatMap((size, at) => {
        const [names, begin] = [part[at]!, end]
        end += Number(size)
        const ofObject = shifts.get(objects[at]!) ?? NO_SHIFTS
        const { passed, next } = placeRows(all.subarray(begin, end), names, ofObject, found)
        return passed < most ? [] : names.slice(next).map((name) => [name])
      })
    },
    /** Puts the records of positions of some objects at their places: those of the last block of each. Returns those before it. */
    *findPacked(
      sql: Sql,
      organization: number,
      missing: readonly PlacedName[][],
      found: (Uint8Array | null)[],
    ): Work<PlacedName[][]> {
      const byObject = new Map(missing.map((names) => [names[0]!.object, names]))
      const firsts = missing.map((names) => names[0]!.time - 1)
      const lasts = missing.map((names) => names.at(-1)!.time)
      const shifting = shiftsAmong(sql, organization, byObject.keys())
      const values = [organization, ...lists([...byObject.keys()], firsts, lasts)]
      const blocks = yield* sql.all<StoredBlock>(previous, values)
      const shifts = yield* shifting
      return blocks.flatMap((block) => {
        const names = byObject.get(block.object)!
        const within = names.filter(({ time }) => block.first <= time && time <= block.last)
        const times = within.map(({ time }) => time)
        const ofObject = shifts.get(block.object) ?? NO_SHIFTS
        const records = times.length === 0 ? [] : findRecords(block, times, ofObject)
        for (const [at, { place }] of within.entries()) found[place] = records[at]!
        const earlier = names.filter(({ time }) => time < block.first)
        return earlier.length === 0 ? [] : [earlier]
      })
    },
  }
}

function lastTime(names: readonly PlacedName[]): number {
  return names.at(-1)!.time
}

/** Puts joined `trackRow`s of an object at their places. Returns their number, and that of the names up to the last one. */
function placeRows(
  rows: Buffer,
  names: readonly PlacedName[],
  shifts: ObjectShifts,
  found: (Uint8Array | null)[],
) {
  let [passed, next] = [0, 0]
  for (let at = 0; at < rows.length; passed += 1) {
    const [isShown, begin] = [rows[at] === 1, at + 2]
    const end = begin + rows.readUInt16LE(begin + FIX_RECORD.length)
    const time = rows.readUIntLE(begin + FIX_RECORD.timeDevice, 6)
    const track = rows.subarray(end, end + rows[at + 1]!)
    at = end + track.length
    while (names[next]!.time < time) next += 1
    if (names[next]!.time > time) continue
    const record = isShown
      ? shownRecord({ time, fix: rows.subarray(begin, end), track }, shifts)
      : null
    for (; names[next]?.time === time; next += 1) found[names[next]!.place] = record
  }
  return { passed, next }
}

type NewestRow = ShownRow & { object: number; track: Uint8Array }
type NewestShown = { object: number; time: number | null; packedTo: number | null }
type Wanted = { object: number } & TimeRange
type OwnSpan = Span & { object: number }

/** The newest positions of objects in ranges of time. */
function newestPositions(dialect: Dialect, form: PositionForm) {
  const { wanted, ofEach, lists } = form
  const shiftsAmong = shiftReader(dialect)
  const rows = ofEach({
    table: 'positions',
    columns: 'time_device AS time, fix, track',
    where: 'time_device > wanted.since AND time_device <= wanted.until',
    lastBy: 'time_device',
  })
  const stored = `
    SELECT id AS object, time, fix, track FROM ${wanted(2, 'id', 'since', 'until')} ${rows}`
  const shown = `
    SELECT id AS object, (
      SELECT time_device FROM positions
      WHERE organization = $1 AND object = wanted.id
        AND time_device BETWEEN $2 AND $3 AND hidden IS NULL
      ORDER BY time_device DESC LIMIT 1
    ) AS time, (
      SELECT last_time FROM position_blocks
      WHERE organization = $1 AND object = wanted.id AND first_time <= $3
      ORDER BY first_time DESC LIMIT 1
    ) AS "packedTo"
    FROM ${wanted(4, 'id')}`
  const previous = previousOfEach(form)

  const valuesOf = (organization: number, spans: ReadonlyMap<number, OwnSpan>) => {
    const all = [...spans.values()]
    const [after, to] = [all.map((each) => each.after), all.map((each) => each.to)]
    return [organization, ...lists([...spans.keys()], after, to)]
  }

  return {
    *stored(sql: Sql, organization: number, part: readonly Wanted[]): Work<NewestPosition[]> {
      const spans = new Map<number, OwnSpan>()
      for (const { object, from, to } of part) spans.set(object, { object, after: from - 1, to })
      const shifting = shiftsAmong(sql, organization, spans.keys())
      const newest = new Map<number, NewestRow>()
      for (const row of yield* sql.all<NewestRow>(stored, valuesOf(organization, spans))) {
        newest.set(row.object, row)
        spans.get(row.object)!.after = row.time
      }
      for (const block of yield* sql.all<StoredBlock>(previous, valuesOf(organization, spans))) {
        const { object } = block
        const row = unpackRows(block, spans.get(object)!, -1)[0]
        if (row !== undefined) newest.set(object, { ...row, object })
      }
      const shifts = yield* shifting
      return Array.from(newest.values(), (row) =>
        newestPosition(row, shifts.get(row.object) ?? NO_SHIFTS),
      )
    },
    *shown(
      sql: Sql,
      organization: number,
      objects: readonly number[],
      { from, to }: TimeRange,
    ): Work<Iterable<PositionName>> {
      const values = [organization, from, to, ...lists(objects)]
      const newest = new Map<number, PositionName>()
      let pending = new Map<number, OwnSpan>()
      for (const { object, time, packedTo } of yield* sql.all<NewestShown>(shown, values)) {
        const after = time ?? from - 1
        if (time !== null) newest.set(object, { object, time })
        if ((packedTo ?? 0) > after) pending.set(object, { object, after, to })
      }
      while (pending.size > 0) {
        const hidden = new Map<number, OwnSpan>()
        for (const block of yield* sql.all<StoredBlock>(
          previous,
          valuesOf(organization, pending),
        )) {
          const { object } = block
          const span = pending.get(object)!
          const time = block.shown === 0 ? null : newestShown(block, span)
          if (time !== null) newest.set(object, { object, time })
          else hidden.set(object, { ...span, to: block.first - 1 })
        }
        pending = hidden
      }
      return newest.values()
    },
  }
}
