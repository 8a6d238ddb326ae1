import assert from 'node:assert/strict'
import type { Json } from '../fleetgate.ts'
import { checkOrder, newOrder, type PageOrder } from './page-order.ts'

/** The counters of a row as `include=exact` gives them. */
export const COUNTERS = ['odometer_mm', 'mileage_mm', 'engine_hours_ms'] as const
const ITEM_TYPES = ['object', 'geofence', 'route', 'site'] as const
export type ItemType = (typeof ITEM_TYPES)[number]
export const RECORD_TYPES = ['trip', 'stop', 'visit', 'level'] as const
export type RecordType = (typeof RECORD_TYPES)[number]

/** A position row. `asOf`: the number of the newest change whose shifts it has. `isLogged`: not of a snapshot. */
export type Row = { position: Json; asOf: number; isLogged: boolean }

/**
 * A copy of a fleet, made from pages of `GET /changes` alone by the rules of the reference. It is plain data, so a
 * client can store it.
 */
export type Replica = {
  items: Record<ItemType, Map<number, Json>>
  /** By object. */
  states: Map<number, Json>
  /** By object, then by `time_device`. */
  positions: Map<number, Map<string, Row>>
  records: Record<RecordType, Map<number, Json>>
  retentionDays: number | null
  /** The days of the objects that have a retention of their own. */
  objectRetentions: Map<number, number>
  unit: 'km' | 'mi'
  /** While a snapshot comes in: the keys that the copy had before and that were not named since. */
  unnamed: Set<string> | null
  order: PageOrder
  /** The entries that were applied. */
  entries: number
  /** The objects of positions, by ident. */
  ids: Map<string, number>
  /**
   * How often a position of an ident came again in the log. Late positions rewrite others; without them, no
   * position comes again.
   */
  rewrites: Map<string, number>
}

const DAY_MS = 86_400_000
/** The fields that a list item and a state have in common. */
export const SHARED = [
  'time_server',
  'time_device',
  'time_last_idle',
  'time_last_move',
  'time_last_stop',
  'engine_hours',
  'odometer',
  'mileage',
  'address',
] as const

export function newReplica(): Replica {
  return {
    items: { object: new Map(), geofence: new Map(), route: new Map(), site: new Map() },
    states: new Map(),
    positions: new Map(),
    records: { trip: new Map(), stop: new Map(), visit: new Map(), level: new Map() },
    retentionDays: null,
    objectRetentions: new Map(),
    unit: 'km',
    unnamed: null,
    order: newOrder(),
    entries: 0,
    ids: new Map(),
    rewrites: new Map(),
  }
}

/** Before a client starts again: it will drop what the snapshot does not name. */
export function startAgain(replica: Replica): void {
  const { items, states, positions, records } = replica
  const keys = new Set<string>()
  for (const type of ITEM_TYPES) for (const id of items[type].keys()) keys.add(`${type} ${id}`)
  for (const type of RECORD_TYPES) for (const id of records[type].keys()) keys.add(`${type} ${id}`)
  for (const id of states.keys()) keys.add(`state ${id}`)
  for (const [id, rows] of positions) for (const time of rows.keys()) keys.add(`row ${id} ${time}`)
  replica.unnamed = keys
  replica.order = newOrder()
}

/** Applies a page. Throws if an entry comes twice, or after a later one. `now`: the client's clock. */
export function applyPage(replica: Replica, page: Json, now: number): void {
  checkOrder(replica.order, page)
  replica.unit = page.distance_unit
  if (!page.snapshot) dropUnnamed(replica)
  for (const entry of page.changes) apply(replica, entry, page)
  replica.entries += page.changes.length
  if (!page.has_more) dropUnnamed(replica)
  dropExpired(replica, now, replica.retentionDays)
  for (const [id, days] of replica.objectRetentions) dropExpired(replica, now, days, id)
}

/** Drops the positions that are older than a retention (null: none), and the records that ended before: of all, or of one. */
export function dropExpired(
  { positions, records }: Replica,
  now: number,
  retentionDays: number | null,
  object?: number,
): void {
  if (retentionDays === null) return
  const oldest = now - retentionDays * DAY_MS
  const isMeant = (id: number) => object === undefined || id === object
  for (const [id, rows] of positions) {
    if (!isMeant(id)) continue
    for (const time of rows.keys()) if (Date.parse(time) < oldest) rows.delete(time)
  }
  for (const all of Object.values(records)) {
    for (const [id, { end_time: end, object_id }] of all) {
      if (isMeant(object_id) && end !== null && Date.parse(end) < oldest) all.delete(id)
    }
  }
}

function dropUnnamed(replica: Replica): void {
  for (const key of replica.unnamed ?? []) {
    const [type, id, time] = key.split(' ') as [string, string, string | undefined]
    if (type === 'row') replica.positions.get(Number(id))?.delete(time!)
    else if (type === 'state') replica.states.delete(Number(id))
    else if (isRecordType(type)) replica.records[type].delete(Number(id))
    else replica.items[type as ItemType].delete(Number(id))
  }
  replica.unnamed = null
}

function apply(replica: Replica, entry: Json, page: Json): void {
  switch (entry.type) {
    case 'retention':
      replica.retentionDays = entry.days
      return
    case 'object_retention':
      if (entry.days === null) replica.objectRetentions.delete(entry.id)
      else replica.objectRetentions.set(entry.id, entry.days)
      return
    case 'state':
      putState(replica, entry.state)
      return
    case 'position':
      applyPosition(replica, entry, page)
      return
    case 'positions':
      for (const time of timesIn(replica, entry)) rowsOf(replica, entry.id).delete(time)
      return
    case 'counters':
      for (const time of timesIn(replica, entry)) shift(replica, entry, time)
      return
    case 'withheld':
      assert.fail('no client asked to leave out what cannot be paid')
      break
    default:
      if (isItemType(entry.type)) applyItem(replica, entry.type, entry)
      if (isRecordType(entry.type)) applyRecord(replica, entry.type, entry)
  }
}

function isItemType(type: string): type is ItemType {
  return ITEM_TYPES.some((each) => each === type)
}

function isRecordType(type: string): type is RecordType {
  return RECORD_TYPES.some((each) => each === type)
}

function applyRecord(replica: Replica, type: RecordType, entry: Json): void {
  const record = entry[type]
  replica.unnamed?.delete(`${type} ${record?.id}`)
  if (entry.op === 'put') replica.records[type].set(record.id, record)
  else replica.records[type].delete(entry.id)
}

function putState(replica: Replica, state: Json): void {
  replica.unnamed?.delete(`state ${state.id}`)
  replica.states.set(state.id, { ...state })
  const object = replica.items.object.get(state.id)
  if (object !== undefined) copyShared(state, object)
}

function applyItem(replica: Replica, type: ItemType, entry: Json): void {
  const items = replica.items[type]
  if (entry.op === 'put') {
    const item = { ...entry[type] }
    replica.unnamed?.delete(`${type} ${item.id}`)
    items.set(item.id, item)
    const state = type === 'object' ? replica.states.get(item.id) : undefined
    if (state !== undefined) copyShared(item, state)
    return
  }
  items.delete(entry.id)
  if (type !== 'object') return
  replica.states.delete(entry.id)
  replica.positions.delete(entry.id)
  replica.objectRetentions.delete(entry.id)
  for (const all of Object.values(replica.records)) {
    for (const [id, { object_id }] of all) if (object_id === entry.id) all.delete(id)
  }
}

function copyShared(from: Json, to: Json): void {
  for (const field of SHARED) to[field] = from[field]
}

function applyPosition(replica: Replica, entry: Json, { as_of: asOf, snapshot }: Json): void {
  if (entry.op === 'delete') {
    rowsOf(replica, entry.id).delete(entry.time_device)
    return
  }
  const { position } = entry
  const { id, ident, time_device: time } = position
  replica.unnamed?.delete(`row ${id} ${time}`)
  replica.ids.set(ident, id)
  const rows = rowsOf(replica, id)
  if (!snapshot && rows.get(time)?.isLogged) {
    replica.rewrites.set(ident, (replica.rewrites.get(ident) ?? 0) + 1)
  }
  rows.set(time, { position, asOf, isLogged: !snapshot })
}

/** The rows of an object as a history shows them, in the order of time. */
export function historyIn(replica: Replica, object: number): Json[] {
  return [...rowsOf(replica, object)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { position }]) => {
      const { exact: _, ...row } = position
      return row
    })
}

/** Whether it has a position of the object with that ident. */
export function hasPosition({ ids, positions }: Replica, ident: string, time: number): boolean {
  const rows = positions.get(ids.get(ident) ?? 0)
  return rows?.has(new Date(time).toISOString()) ?? false
}

function rowsOf({ positions }: Replica, object: number): Map<string, Row> {
  const rows = positions.get(object) ?? new Map<string, Row>()
  positions.set(object, rows)
  return rows
}

/** The times in the range of an entry. All texts have the same form, so they compare like times. */
function timesIn(replica: Replica, { id, from_time: from, to_time: to }: Json): string[] {
  return [...rowsOf(replica, id).keys()].filter(
    (time) => (from === null || time >= from) && (to === null || time <= to),
  )
}

/** Moves the counters of a row, if the page that brought it did not have the shift. */
function shift(replica: Replica, entry: Json, time: string): void {
  const rows = rowsOf(replica, entry.id)
  const row = rows.get(time)!
  if (row.asOf >= entry.seq) return
  rows.set(time, { ...row, position: shifted(row.position, entry, replica.unit), asOf: entry.seq })
}

function shifted(position: Json, amounts: Json, unit: Replica['unit']): Json {
  const { exact } = position
  if (exact === undefined) return shiftedAsShown(position, amounts, unit)
  const moved = { ...exact }
  for (const name of COUNTERS) if (moved[name] !== null) moved[name] += amounts[name]
  return withShown({ ...position, exact: moved }, unit)
}

const HOUR_MS = 3_600_000
const MM_PER = { km: 1_000_000, mi: 1_609_344 }

/**
 * The row with the numbers that follow from its exact counters: two decimals, and three of engine hours. What is below
 * zero during a fold is shown as 0.
 */
function withShown(position: Json, unit: Replica['unit']): Json {
  const [odometer = null, mileage = null, hours = null] = COUNTERS.map((name) =>
    atLeastZero(position.exact[name]),
  )
  const shown = { ...position }
  if (odometer !== null) shown.odometer = Math.round(odometer / (MM_PER[unit] / 100)) / 100
  if (mileage !== null) shown.mileage = Math.round(mileage / (MM_PER[unit] / 100)) / 100
  if (hours !== null) shown.engine_hours = Math.round(hours / (HOUR_MS / 1000)) / 1000
  return shown
}

export function atLeastZero(counter: number | null): number | null {
  return counter === null ? null : Math.max(0, counter)
}

/** Without exact counters the amounts go to rounded numbers, so an error of some last digits is possible. */
function shiftedAsShown(position: Json, amounts: Json, unit: Replica['unit']): Json {
  const plus = (value: number | null, by: number) => (value === null ? null : value + by)
  return {
    ...position,
    odometer: plus(position.odometer, amounts.odometer_mm / MM_PER[unit]),
    mileage: plus(position.mileage, amounts.mileage_mm / MM_PER[unit]),
    engine_hours: plus(position.engine_hours, amounts.engine_hours_ms / HOUR_MS),
  }
}
