import assert from 'node:assert/strict'
import type { Json } from '../fleetgate.ts'

/** The `result` of `GET /changes`. */
export type ChangesPage = {
  as_of: number
  distance_unit: string
  snapshot: boolean
  changes: Json[]
  cursor: string
  has_more: boolean
}

/** A position with its exact counters. `asOf`: of its page. `isLogged`: it came after the snapshot. */
type Row = { fields: Json; exact: Json; asOf: number; isLogged: boolean }

/** The positions and states of an organization, made from pages of `/changes` alone, as a client makes them. */
export type Replica = {
  /** Applies a page. Throws if an entry comes twice, or after a later one. */
  apply(page: ChangesPage): void
  /** The rows of an object as a history shows them, in the order of time. */
  rowsOf(object: number): Json[]
  stateOf(object: number): Json | undefined
  objectOf(object: number): Json | undefined
  /** Whether it has a position of the object with that ident. */
  has(ident: string, time: number): boolean
  /** The entries that were applied. */
  entries(): number
  /**
   * How often a position of an ident came again in the log. Late positions rewrite others; without them, no
   * position comes again.
   */
  readonly rewrites: ReadonlyMap<string, number>
}

/** Pages must have `include=exact`, so that nothing is rounded twice. Distances are in km. */
export function newReplica(): Replica {
  const objects = new Map<number, Json>()
  const states = new Map<number, Json>()
  const positions = new Map<number, Map<number, Row>>()
  const ids = new Map<string, number>()
  const rewrites = new Map<string, number>()
  const checkOrder = orderCheck()
  let entries = 0

  const rowsFor = (object: number) => {
    const rows = positions.get(object) ?? new Map<number, Row>()
    positions.set(object, rows)
    return rows
  }

  function put({ exact, ...fields }: Json, { as_of: asOf, snapshot }: ChangesPage): void {
    const rows = rowsFor(fields.id)
    const time = Date.parse(fields.time_device)
    ids.set(fields.ident, fields.id)
    if (!snapshot && rows.get(time)?.isLogged) {
      rewrites.set(fields.ident, (rewrites.get(fields.ident) ?? 0) + 1)
    }
    rows.set(time, { fields, exact, asOf, isLogged: !snapshot })
  }

  function apply(entry: Json, page: ChangesPage): void {
    switch (`${entry.type} ${entry.op}`) {
      case 'position put':
        put(entry.position, page)
        return
      case 'position delete':
        rowsFor(entry.id).delete(Date.parse(entry.time_device))
        return
      case 'positions replace':
        for (const time of timesIn(rowsFor(entry.id), entry)) rowsFor(entry.id).delete(time)
        return
      case 'counters shift':
        for (const time of timesIn(rowsFor(entry.id), entry))
          shift(rowsFor(entry.id).get(time)!, entry)
        return
      case 'state put':
        states.set(entry.state.id, entry.state)
        return
      case 'object put':
        objects.set(entry.object.id, entry.object)
        return
      case 'object delete':
        for (const all of [objects, states, positions]) all.delete(entry.id)
        return
      case 'withheld put':
        assert.fail('nothing is charged here')
    }
  }

  return {
    apply(page) {
      for (const entry of page.changes) {
        checkOrder(entry, page)
        apply(entry, page)
        entries += 1
      }
    },
    rowsOf: (object) =>
      [...rowsFor(object)].sort(([a], [b]) => a - b).map(([, row]) => shownRow(row)),
    stateOf: (object) => states.get(object),
    objectOf: (object) => objects.get(object),
    has: (ident, time) => positions.get(ids.get(ident) ?? 0)?.has(time) ?? false,
    entries: () => entries,
    rewrites,
  }
}

/** Every row on a page contains exactly the shifts whose `seq` is at most the page's `as_of`. */
function shift(row: Row, { seq, odometer_mm, mileage_mm, engine_hours_ms }: Json): void {
  if (row.asOf >= seq) return
  row.exact = {
    odometer_mm: row.exact.odometer_mm + odometer_mm,
    mileage_mm: row.exact.mileage_mm + mileage_mm,
    engine_hours_ms: row.exact.engine_hours_ms + engine_hours_ms,
  }
}

/** The times of rows in a range: both ends are included, and a null end is open. */
function timesIn(rows: ReadonlyMap<number, Row>, { from_time, to_time }: Json): number[] {
  const from = from_time === null ? Number.NEGATIVE_INFINITY : Date.parse(from_time)
  const to = to_time === null ? Number.POSITIVE_INFINITY : Date.parse(to_time)
  return [...rows.keys()].filter((time) => time >= from && time <= to)
}

function shownRow({ fields, exact }: Row): Json {
  return {
    ...fields,
    engine_hours: Math.round(exact.engine_hours_ms / 3_600) / 1_000,
    odometer: Math.round(exact.odometer_mm / 10_000) / 100,
    mileage: Math.round(exact.mileage_mm / 10_000) / 100,
  }
}

/**
 * Along the cursors of one reader, `as_of` and the numbers of changes never go down, and a change names
 * each thing once, except for shifts. In a snapshot, the positions come by object and time.
 */
function orderCheck(): (entry: Json, page: ChangesPage) => void {
  let isInLog = false
  let asOf = 0
  let seq = 0
  let named = new Set<string>()
  let last = { id: 0, time: '' }

  return (entry, page) => {
    assert.ok(page.as_of >= asOf, `a page as of ${page.as_of} came after one as of ${asOf}`)
    asOf = page.as_of
    if (page.snapshot) {
      assert.ok(!isInLog, 'a page of the snapshot came after one of the log')
      assert.equal(entry.seq, asOf)
      if (entry.type === 'position') last = checkPosition(last, entry.position)
      return
    }
    isInLog = true
    assert.ok(entry.seq <= asOf, `change ${entry.seq} is on a page as of ${asOf}`)
    assert.ok(entry.seq >= seq, `change ${entry.seq} came after ${seq}`)
    if (entry.seq > seq) named = new Set()
    seq = entry.seq
    // One change may shift the same rows twice.
    if (entry.op === 'shift') return
    const key = keyOf(entry)
    assert.ok(!named.has(key), `${key} came twice in change ${seq}`)
    named.add(key)
  }
}

function checkPosition(last: { id: number; time: string }, { id, time_device: time }: Json) {
  const isNext = id > last.id || (id === last.id && time > last.time)
  assert.ok(isNext, `${time} of ${id} came after ${last.time} of ${last.id}`)
  return { id, time }
}

function keyOf({ type, ...entry }: Json): string {
  const { id, time_device, from_time } = entry[type] ?? entry
  return [type, id, time_device, from_time].join(' ')
}
