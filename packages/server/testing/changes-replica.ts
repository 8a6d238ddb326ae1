import assert from 'node:assert/strict'
import { makePage } from '../src/changes/make-page.ts'
import type { Page, PageEntry, RecordPutEntry, Selection } from '../src/changes/page.ts'
import { type Place, startOf } from '../src/changes/place.ts'
import { CHANGE_TYPES, RECORD_TYPES } from '../src/domain/change-types.ts'
import { readCounters } from '../src/domain/position/fix-record.ts'
import type { Counters } from '../src/domain/position/fold-state.ts'
import type { ObjectState } from '../src/domain/position/object-state.ts'
import { shownFrom } from '../src/domain/time/retention.ts'
import { DAY_MS } from '../src/domain/time/time.ts'
import type { ItemTopic } from '../src/store/change-entries.ts'
import type { OwnedRecord } from '../src/store/record-store.ts'
import type { Store } from '../src/store/store.ts'
import { recordsOf } from './store-contract/fixture.ts'

/** A position of a replica, as of a change. */
type Row = { -readonly [Counter in keyof Counters]: Counters[Counter] } & {
  record: string
  asOf: number
}

/** The data of an organization, made from pages of changes alone, as a client makes it. */
export type Replica = {
  /** Begins anew, and drops what the replica has. */
  begin(from: 'snapshot' | 'history'): Promise<void>
  /** Reads a page of at most `limit` entries. Returns whether there are more. */
  read(limit: number): Promise<boolean>
  /** Compares with what the store answers. The replica must have read everything. */
  assertEqual(): Promise<void>
}

/** `alter` changes a page on its way, for tests of the comparison. `ids`: the only objects to read. */
export function changesReplica(
  store: Store,
  organization: number,
  now: () => number,
  ids: readonly number[] | null = null,
  alter: (page: Page) => Page = (page) => page,
): Replica {
  const selection: Selection = { types: new Set(CHANGE_TYPES), ids }
  const items = new Map<string, object>()
  const states = new Map<number, ObjectState>()
  const positions = new Map<number, Map<number, Row>>()
  const records = new Map<number, RecordPutEntry>()
  let retentionDays: number | null = null
  let hasHistory = false
  let place: Place | undefined

  const rowsOf = (object: number) => {
    const rows = positions.get(object) ?? new Map<number, Row>()
    positions.set(object, rows)
    return rows
  }

  function apply(entry: PageEntry, asOf: number): void {
    switch (entry.type) {
      case 'retention':
        retentionDays = entry.days
        return
      case 'state':
        states.set(entry.object.id, entry.state)
        return
      case 'positions':
        for (const time of rowsOf(entry.object).keys()) {
          if (isIn(time, entry)) rowsOf(entry.object).delete(time)
        }
        return
      case 'counters':
        shift(entry)
        return
      case 'position':
        if (entry.op === 'delete') rowsOf(entry.object).delete(entry.time)
        else put(entry.object.id, entry.records, asOf)
        return
      case 'trips':
      case 'stops':
      case 'visits':
        if (entry.op === 'delete') records.delete(entry.id)
        else records.set(entry.owned.id, entry)
        return
      case 'withheld':
        assert.fail('nothing is charged here')
        break
      default:
        applyItem(entry)
    }
  }

  function applyItem(entry: Extract<PageEntry, { type: ItemTopic }>): void {
    if (entry.op === 'put') {
      items.set(`${entry.type} ${entry.item.id}`, entry.item)
      return
    }
    items.delete(`${entry.type} ${entry.id}`)
    if (entry.type !== 'objects') return
    states.delete(entry.id)
    positions.delete(entry.id)
    for (const [id, { object }] of records) if (object.id === entry.id) records.delete(id)
  }

  function put(object: number, records: Uint8Array, asOf: number): void {
    for (const [time, record] of eachRecord(Buffer.from(records))) {
      rowsOf(object).set(time, { ...readCounters(record), record: withoutCounters(record), asOf })
    }
  }

  function shift(entry: Extract<PageEntry, { type: 'counters' }>): void {
    for (const [time, row] of rowsOf(entry.object)) {
      if (row.asOf >= entry.seq || !isIn(time, entry)) continue
      if (row.odometer !== null) row.odometer += entry.odometer
      if (row.mileage !== null) row.mileage += entry.mileage
      if (row.engineHours !== null) row.engineHours += entry.engineHours
    }
  }

  async function readPage(limit: number): Promise<Page> {
    const page = await store.changeLog.view(organization, (view) => {
      place ??= startOf(hasHistory ? 'history' : 'snapshot', view.asOf)
      return makePage(view, place, {
        selection,
        limit,
        now: now(),
      })
    })
    assert.ok(page !== null)
    return page
  }

  return {
    async begin(from) {
      hasHistory = from === 'history'
      place = undefined
      items.clear()
      states.clear()
      positions.clear()
      records.clear()
    },
    async read(limit) {
      const page = alter(await readPage(limit))
      let entries = 0
      for (const entry of page.entries) {
        entries += 'count' in entry ? entry.count : 1
        apply(entry, page.asOf)
      }
      assert.ok(entries <= limit, `${entries} entries, at most ${limit}`)
      place = page.next
      const oldest = retentionDays === null ? 0 : now() - retentionDays * DAY_MS
      for (const rows of positions.values()) {
        for (const time of rows.keys()) if (time < oldest) rows.delete(time)
      }
      for (const [id, { owned }] of records) {
        if (owned.record.end !== null && owned.record.end < oldest) records.delete(id)
      }
      return page.hasMore
    },
    async assertEqual() {
      const objects = (await store.objects.list(organization)).filter(
        ({ id }) => ids === null || ids.includes(id),
      )
      const stored: [ItemTopic, readonly { id: number }[]][] = [
        ['objects', objects],
        ['geofences', await store.geofences.list(organization)],
        ['routes', await store.routes.list(organization)],
        ['sites', await store.sites.list(organization)],
      ]
      const expected = stored.flatMap(([topic, all]) =>
        all.map((item): [string, object] => [`${topic} ${item.id}`, item]),
      )
      assert.deepEqual(new Map([...items].sort(byKey)), new Map(expected.sort(byKey)))
      const owner = (await store.organizations.find(organization))!
      const range = { from: shownFrom(owner, now()), to: 2 ** 48 }
      const query = {
        objects: ids,
        range,
        places: null,
        minDuration: 0,
        after: null,
        limit: 10_000,
      }
      for (const type of RECORD_TYPES) {
        const derived = await store.records.page(organization, { ...query, type })
        const kept = [...records.values()].filter((each) => each.type === type)
        assert.deepEqual(shownRecords(kept.map(({ owned }) => owned)), shownRecords(derived), type)
      }
      for (const { id } of objects) {
        const state = (await store.positions.states(organization, [id])).get(id)
        assert.deepEqual(states.get(id), state, `state of object ${id}`)
        if (!hasHistory) continue
        const history = await store.positions.history(organization, id, range, null)
        const shown = new Map(eachRecord(await recordsOf(history)))
        assert.deepEqual(
          [...rowsOf(id).keys()].sort(ascending),
          [...shown.keys()],
          `times of ${id}`,
        )
        for (const [time, record] of shown) {
          const { asOf: _, ...row } = rowsOf(id).get(time)!
          const expected = { ...readCounters(record), record: withoutCounters(record) }
          assert.deepEqual(row, expected, `object ${id} at ${time}`)
        }
      }
    },
  }
}

/** Records by id, without what no reader sees. */
function shownRecords(records: readonly OwnedRecord[]) {
  return records.map(({ checkpoint: _, ...shown }) => shown).sort((a, b) => a.id - b.id)
}

function isIn(time: number, { from, to }: { from: number | null; to: number | null }): boolean {
  return (from === null || time >= from) && (to === null || time <= to)
}

function* eachRecord(records: Buffer): Generator<[time: number, record: Buffer]> {
  for (let at = 0; at < records.length; ) {
    const end = at + records.readUInt16LE(at)
    yield [records.readUIntLE(at + 4, 6), records.subarray(at, end)]
    at = end
  }
}

/** Flags of counters and the counters are compared as numbers. Entries do not show the marks of the fold. */
function withoutCounters(record: Buffer): string {
  const copy = Buffer.from(record)
  copy.writeUInt16LE(copy.readUInt16LE(2) & ~0b111_1000_0001_1100, 2)
  return copy.fill(0, 32, 50).toString('hex')
}

const ascending = (a: number, b: number) => a - b
const byKey = ([a]: [string, object], [b]: [string, object]) => (a < b ? -1 : 1)
