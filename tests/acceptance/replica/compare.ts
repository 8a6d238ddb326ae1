import assert from 'node:assert/strict'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { atLeastZero, dropExpired, type ItemType, SHARED } from '../harness/following/replica.ts'
import { assertRecords } from './compare-records.ts'
import type { Follower } from './follower.ts'
import { hasOwnAddress } from './operations/rows.ts'
import { type Answers, assertPackageCopy } from './package-copy.ts'
import { ask, type TrialFleet } from './trial-fleet.ts'

const PLACES = ['latitude', 'longitude', 'altitude', 'angle', 'speed']
/** `time_server` is that of the last packet in a list, and that of the position here. */
const LATEST_FIELDS = [
  ...['id', 'ident', 'name', ...PLACES, 'time_device'],
  ...['engine_hours', 'odometer', 'mileage', 'address'],
]
const SHOWN_COUNTERS = {
  odometer: 'odometer_mm',
  mileage: 'mileage_mm',
  engine_hours: 'engine_hours_ms',
}
/** A client without exact counters adds to rounded ones: each shift may add half of the last digit. */
const ROUNDING = 0.05
/** The operations that change the retention. */
const RETAINING = ['changeRetention', 'letExpire']
const EVER = 'from_time=2000-01-01&to_time=2100-01-01'

/** A client, and the fleet as its key shows it. */
type Compared = { fleet: TrialFleet; follower: Follower }

/** Compares a replica that has read everything with lists, details, latest and histories. */
export async function assertEqual({ fleet, follower }: Compared): Promise<void> {
  const { query } = follower
  const { replica } = follower.copy
  // The state that a bounded key sees follows the retention, for which there are no entries of states.
  const hasStates = !(fleet.isBounded && fleet.done.some((each) => RETAINING.includes(each)))
  const has = (type: string) => query.types === null || query.types.includes(type)
  const read = async (path: string) => resultOf(await ask(fleet, path))
  const readRows = async (path: string) =>
    read(query.hasAttributes ? withParameter(path, 'include=attributes') : path)
  const lists: Answers['lists'] = { objects: [], geofences: [], routes: [], sites: [] }
  for (const type of ['geofence', 'route', 'site'] as const) {
    if (!has(`${type}s`)) continue
    lists[`${type}s`] = await read(`/${type}s`)
    assertItems(follower, type, lists[`${type}s`])
  }
  const chosen = (id: number) => query.ids === null || query.ids.includes(id)
  const objects: Json[] = (await read('/objects')).filter(({ id }: Json) => chosen(id))
  if (has('objects')) {
    const fields = (item: Json) => (has('states') && hasStates ? item : without(item, SHARED))
    assertItems(follower, 'object', objects.map(fields), fields)
  }
  lists.objects = objects
  const details = new Map<number, Json>()
  const allLatest = new Map<number, Json>()
  const histories = new Map<number, Json[]>()
  for (const object of objects) {
    const { id } = object
    const item = replica.items.object.get(id)
    const state = replica.states.get(id)
    const isKnown = query.from !== 'now' || (item !== undefined && state !== undefined)
    if (has('states') && hasStates && isKnown) {
      const shown = await readRows(`/objects/${id}`)
      const { attributes, attributes_at, ...detail } = shown
      assertState(state, detail)
      const current = { attributes: state?.attributes, attributes_at: state?.attributes_at }
      assert.deepEqual(current, { attributes, attributes_at }, `attributes of object ${id}`)
      if (has('objects')) {
        const location = pick(state ?? {}, PLACES)
        assert.deepEqual({ ...item, ...location }, detail, `detail of object ${id}`)
        const [whole] = await readRows(`/positions/latest?ids=${id}`)
        const latest = without(whole, ['time_server', 'attributes', 'attributes_at'])
        details.set(id, shown)
        allLatest.set(id, whole)
        const expected = pick({ ...item, ...location }, LATEST_FIELDS)
        // The list has the address of a later fix that is not believed.
        if (hasOwnAddress(latest)) expected.address = latest.address
        assert.deepEqual(expected, latest, `latest of ${id}`)
      }
    }
    if (has('positions')) {
      const rows = await readRows(`/objects/${id}/positions?${EVER}`)
      // A client that starts with `now` learns of a retention only when it changes.
      const known = query.from === 'now' ? fleet.model.retentionDays : replica.retentionDays
      dropExpired(replica, fleet.host.now(), known)
      assertRows(follower, object, rows)
      if (query.from === 'history' && query.isExact) histories.set(id, rows)
    }
  }
  const records = await assertRecords(fleet, follower, objects)
  if (query.types !== null || query.from === 'now' || fleet.isBounded) return
  const answers = { lists, details, latest: allLatest, histories, records }
  await assertPackageCopy(follower.copy.pages, fleet.host.now(), answers)
}

function withParameter(path: string, parameter: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${parameter}`
}

/** Compares exact counters with those that a client gets that starts now. */
export function assertSameCounters(follower: Follower, fresh: Follower): void {
  const rows = [...fresh.copy.replica.positions].flatMap(([id, all]) =>
    [...all].map(([time, { position }]) => ({ id, time, exact: position.exact })),
  )
  for (const { id, time, exact } of rows) {
    const row = follower.copy.replica.positions.get(id)?.get(time)
    if (row !== undefined) {
      assert.deepEqual(shownExact(row.position), exact, `object ${id} at ${time}`)
    }
  }
}

/** The exact counters as a new reader gets them. What is below zero during a fold is shown as 0. */
function shownExact({ exact }: Json): Json {
  return Object.fromEntries(
    Object.entries<number | null>(exact).map(([name, counter]) => [name, atLeastZero(counter)]),
  )
}

function assertItems(
  { copy: { replica }, query }: Follower,
  type: ItemType,
  listed: Json[],
  fields = (item: Json) => item,
): void {
  const kept = [...replica.items[type].values()].sort((a, b) => a.id - b.id).map(fields)
  // A client that started now knows only what has changed since.
  const expected = query.from === 'now' ? listed.filter(({ id }) => has(kept, id)) : listed
  assert.deepEqual(kept, expected, `${type}s`)
}

function has(items: readonly Json[], id: number): boolean {
  return items.some((item) => item.id === id)
}

/** An object without a state was never seen. */
function assertState(state: Json | undefined, detail: Json): void {
  assert.ok(state !== undefined, `object ${detail.id} has no state`)
  const fields = [...SHARED, ...PLACES]
  assert.deepEqual(pick(state, fields), pick(detail, fields), `state of object ${detail.id}`)
}

/** A client without the history has the rows that came since it started, and may have others. */
function assertRows(follower: Follower, object: Json, rows: readonly Json[]): void {
  const { replica, startedAt } = follower.copy
  const { query } = follower
  const kept = replica.positions.get(object.id) ?? new Map()
  const times = new Set(rows.map((row) => row.time_device))
  const expected = rows.filter(
    ({ time_device: time, time_server: received }) =>
      query.from === 'history' || kept.has(time) || Date.parse(received) > startedAt,
  )
  const extra = [...kept.keys()].filter((time) => !times.has(time))
  const missing = expected.filter(({ time_device: time }) => !kept.has(time))
  const difference = { extra, missing: missing.map((row) => row.time_device) }
  assert.deepEqual(difference, { extra: [], missing: [] }, `times of object ${object.id}`)
  for (const row of expected) assertRow(follower, object, kept.get(row.time_device).position, row)
}

function assertRow({ query }: Follower, object: Json, kept: Json, row: Json): void {
  const { exact, ...fields } = kept
  const about = `object ${object.id} at ${row.time_device}`
  // Name and ident follow the object's entry, and an address that is only the last known one is as of delivery.
  const followed = pick(object, ['ident', 'name'])
  if (!hasOwnAddress(row) && !hasOwnAddress(fields)) fields.address = row.address
  for (const [name, exactName] of Object.entries(SHOWN_COUNTERS)) {
    fields[name] = atLeastZero(fields[name])
    // A row without a counter of its own shows that of its object.
    if (
      exact === undefined
        ? isAbout(fields[name], row[name], object[name])
        : exact[exactName] === null
    ) {
      fields[name] = exact === undefined ? row[name] : object[name]
    }
  }
  assert.deepEqual({ ...fields, ...followed }, row, about)
  assert.equal(exact !== undefined, query.isExact, about)
}

function isAbout(kept: number | null, shown: number | null, ofObject: number | null): boolean {
  if (shown === ofObject) return true
  return kept !== null && shown !== null && Math.abs(kept - shown) <= ROUNDING
}

function pick(from: Json, fields: readonly string[]): Json {
  return Object.fromEntries(fields.map((field) => [field, from[field] ?? null]))
}

function without(item: Json, fields: readonly string[]): Json {
  return Object.fromEntries(Object.entries(item).filter(([field]) => !fields.includes(field)))
}
