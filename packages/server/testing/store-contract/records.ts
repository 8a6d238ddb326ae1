import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { type DerivedRecord, keyOf } from '../../src/base/domain/record.ts'
import { packRecord } from '../../src/base/domain/record-form.ts'
import {
  NOT_FAILED,
  type OwnedRecord,
  type RecordProgress,
  type RecordQuery,
} from '../../src/engine/store/record-store.ts'
import type { Change } from '../../src/engine/store/store.ts'
import {
  derived,
  derivedOn,
  HOLDER,
  LEASE_MS,
  NO_WORK,
  newPut,
  stop,
  trip,
  visit,
} from './derived.ts'
import {
  append,
  fixAt,
  MISSING,
  NOW,
  newObject,
  newOrganization,
  type StoreTest,
} from './fixture.ts'
import { rowContract } from './record-rows.ts'
import { runsOr } from './runs.ts'

const START: RecordProgress = { seq: 0, at: 0, lastId: 0 }
const ALWAYS = { from: 0, to: 2 ** 48 }

const EVERY_TRIP: RecordQuery = {
  type: 'trips',
  objects: null,
  range: ALWAYS,
  places: null,
  minDuration: 0,
  after: null,
  limit: 1_000,
}

const idsOf = (records: readonly OwnedRecord[]) => records.map(({ id }) => id)

export function recordContract(it: StoreTest, rules: FoldRules): void {
  describe('Derived records', () => {
    applyContract(it)
    leaseContract(it)
    readContract(it)
    pageContract(it)
    endContract(it)
    rowContract(it, rules)
  })
}

function applyContract(it: StoreTest): void {
  it('are written with the progress and an entry in the change log, as one change', async (store, reopen) => {
    const { organization, object, apply, view } = await derivedOn(store)
    assert.equal(await view((each) => each.progress()), null)
    const puts = [newPut(1, trip(10, 20)), newPut(2, stop(20, null)), newPut(3, visit(4, 20, null))]
    const applied = await apply({ objects: [derived(object, puts)] })
    // The change of the records themselves comes after it.
    assert.deepEqual(applied, { seq: 2, at: NOW, lastId: 3 })
    const { records } = await reopen()
    assert.deepEqual(
      await records.progress([organization, MISSING]),
      new Map([[organization, applied]]),
    )
    await view(async (each) => {
      const [, change] = await each.changes(0, 9)
      assert.deepEqual(change!.entries.records, [
        { type: 'trips', object, id: 1, before: null },
        { type: 'stops', object, id: 2, before: null },
        { type: 'visits', object, id: 3, before: null },
      ])
      const [first] = await each.records('trips', [1])
      const about = { object, revision: 1, updatedAt: NOW }
      assert.deepEqual(first, { ...about, id: 1, record: trip(10, 20), checkpoint: null })
      const [second] = await each.records('stops', [1, 2, 3])
      assert.deepEqual([second!.record, [...second!.checkpoint!]], [stop(20, null), [2]])
      const [third] = await each.records('visits', [3])
      assert.deepEqual(third!.record, visit(4, 20, null))
      const tails = await each.tails([object, MISSING])
      assert.deepEqual(
        [...tails].map(([id, { progress }]) => [id, ...progress]),
        [[object, 1, 2, 3]],
      )
    })
  })

  it('are changed, moved, ended and deleted, also when one takes the start of another', async (store) => {
    const { object, apply, view } = await derivedOn(store)
    const puts = [newPut(1, trip(10, 20)), newPut(2, trip(30, 40)), newPut(3, trip(50, 60))]
    const underWay = [newPut(4, trip(70, null)), newPut(5, stop(70, null))]
    await apply({ objects: [derived(object, [...puts, ...underWay])] })
    const moved = [
      newPut(1, trip(30, 45), { revision: 2, before: { start: 10, until: 20 } }),
      newPut(2, trip(50, 55), { revision: 2, before: { start: 30, until: 40 } }),
      newPut(4, trip(70, 80), { revision: 2, before: { start: 70, until: 75 } }),
      newPut(5, stop(70, null, 90), { revision: 2, before: { start: 70, until: 75 } }),
    ]
    const deletes = [{ ...keyOf(trip(50, 60)), until: 60, id: 3 }]
    await apply({ objects: [{ ...derived(object, moved), deletes }] })
    await view(async (each) => {
      const all = await each.recordsIn(object, ALWAYS)
      assert.deepEqual(
        all.map(({ id, revision, record }) => [id, revision, record]),
        [
          [1, 2, trip(30, 45)],
          [2, 2, trip(50, 55)],
          [4, 2, trip(70, 80)],
          [5, 2, stop(70, null, 90)],
        ],
      )
      const { entries } = (await each.changes(0, 9)).at(-1)!
      assert.deepEqual(entries.records, [
        { type: 'trips', object, id: 3, before: { start: 50, until: 60 } },
        { type: 'trips', object, id: 1, before: { start: 10, until: 20 } },
        { type: 'trips', object, id: 2, before: { start: 30, until: 40 } },
        { type: 'trips', object, id: 4, before: { start: 70, until: 75 } },
        { type: 'stops', object, id: 5, before: { start: 70, until: 75 } },
      ])
      assert.equal((await each.tails([object])).size, 1)
    })
  })

  it('are read as the tail has them while they are under way', async (store, reopen) => {
    const { organization, object, apply, view } = await derivedOn(store)
    const puts = [newPut(1, trip(10, null)), newPut(2, visit(4, 10, null))]
    await apply({ objects: [derived(object, puts)] })
    const later = { revision: 2, updatedAt: NOW + 5 }
    const gone = trip(10, null, 90)
    const open = [{ id: 1, ...later, fields: packRecord(gone).fields }]
    const put = newPut(1, gone, { ...later, before: { start: 10, until: 15 }, isInTail: true })
    const tail = { open, progress: Uint8Array.of(4) }
    await apply({ objects: [{ ...derived(object, [put]), tail }] })
    const { records } = await reopen()
    await view(async (each) => {
      const expected = { object, id: 1, ...later, record: gone, checkpoint: null }
      assert.deepEqual(await each.records('trips', [1]), [expected])
      assert.deepEqual((await each.openRecords([object]))[0], expected)
      assert.deepEqual((await each.recordsIn(object, ALWAYS))[0], expected)
      const kept = (await each.tails([object])).get(object)!
      assert.deepEqual([...kept.progress], [4])
      assert.deepEqual(kept.open, [{ ...open[0], fields: kept.open[0]!.fields }])
      assert.equal(Buffer.compare(kept.open[0]!.fields, open[0]!.fields), 0)
      assert.deepEqual((await each.segments(object))[0]!.box, gone.box)
      const [second] = await each.records('visits', [2])
      assert.deepEqual([second!.revision, second!.record], [1, visit(4, 10, null)])
      assert.deepEqual((await each.changes(0, 9)).at(-1)!.entries.records.length, 1)
    })
    const minDurations = [80, 81]
    const pages = await Promise.all(
      minDurations.map((minDuration) =>
        records.page(organization, { ...EVERY_TRIP, minDuration, limit: 1 }),
      ),
    )
    assert.deepEqual(pages.map(idsOf), [[1], []])
    const ended = newPut(1, trip(10, 95), {
      ...later,
      revision: 3,
      before: { start: 10, until: 90 },
    })
    await apply({ objects: [derived(object, [ended])] })
    const [last] = await view((each) => each.records('trips', [1]))
    assert.deepEqual([last!.revision, last!.record], [3, trip(10, 95)])
  })

  it('are not announced if readers see the same as before', async (store) => {
    const { organization, object, apply, view } = await derivedOn(store)
    await apply({ objects: [derived(object, [newPut(1, stop(20, 30))])] })
    const before = await view((each) => each.records('stops', [1]))
    const changes: Change[] = []
    const watch = store.watch((change) => void changes.push(change))
    const silent = newPut(1, stop(20, 30), {
      before: { start: 20, until: 30 },
      isChanged: false,
      checkpoint: Uint8Array.of(7, 7),
    })
    const to = { seq: 2, at: NOW + 9, lastId: 1 }
    assert.deepEqual(await apply({ objects: [derived(object, [silent])], to }), to)
    const after = await view((each) => each.records('stops', [1]))
    assert.deepEqual(after, [{ ...before[0], checkpoint: after[0]!.checkpoint }])
    assert.deepEqual([...after[0]!.checkpoint!], [7, 7])
    assert.equal((await store.changeLog.newest([organization])).get(organization)!.seq, 2)
    watch.close()
    assert.deepEqual(changes, [])
  })

  it('are reported to watches', async (store, _reopen, { settled }) => {
    const { organization, object, apply } = await derivedOn(store)
    const changes: Change[] = []
    const watch = store.watch((change) => void changes.push(change))
    await apply({ objects: [derived(object, [newPut(1, trip(10, 20))])] })
    await settled(watch)
    watch.close()
    const topics = new Set(changes.map((each) => `${each.organization} ${each.topic}`))
    assert.deepEqual([...topics], [`${organization} records`])
  })

  it('are reported to watches once they are wanted', async (store, _reopen, { settled }) => {
    const organization = await newOrganization(store)
    const changes: Change[] = []
    const watch = store.watch((change) => void changes.push(change))
    await store.records.want(organization)
    await settled(watch)
    const topics = new Set(changes.map((each) => `${each.organization} ${each.topic}`))
    assert.deepEqual([...topics], [`${organization} records`])
    changes.length = 0
    await store.records.want(organization)
    await settled(watch)
    watch.close()
    assert.deepEqual(changes, [], 'they were wanted already')
  })

  it('stay as they are if another process has derived, or holds the lease', async (store) => {
    const { organization, object, apply, view } = await derivedOn(store)
    const applied = await apply({ objects: [derived(object, [newPut(1, trip(10, 20))])] })
    const work = { ...NO_WORK, objects: [derived(object, [newPut(2, trip(30, 40))])] }
    const to = { ...applied, lastId: 2 }
    const tried = (holder: string, from: RecordProgress | null, owner = organization) =>
      store.records.apply(owner, holder, { ...work, from, to })
    assert.equal(await tried('b', applied), null)
    assert.equal(await tried(HOLDER, { ...applied, seq: 1 }), null)
    assert.equal(await tried(HOLDER, { ...applied, lastId: 0 }), null)
    assert.equal(await tried(HOLDER, null), null)
    assert.equal(await tried(HOLDER, null, MISSING), null)
    assert.equal(await tried(HOLDER, START, await newOrganization(store)), null)
    assert.deepEqual(idsOf(await view((each) => each.recordsIn(object, ALWAYS))), [1])
    assert.notEqual(await tried(HOLDER, applied), null)
  })

  it('leave the next change to be derived if it came meanwhile', async (store) => {
    const { organization, object, apply } = await derivedOn(store)
    await append(store, organization, object, [fixAt(10)])
    const to = { seq: 1, at: NOW, lastId: 1 }
    const applied = await apply({ objects: [derived(object, [newPut(1, trip(10, 20))])], to })
    assert.deepEqual(applied, to)
    assert.deepEqual(await store.records.due(), [organization])
  })

  it('have tasks that go on where they were left', async (store) => {
    const { apply, view, organization } = await derivedOn(store)
    const tasks = [
      { kind: 'object', id: 7, after: 1_000, ...NOT_FAILED },
      { kind: 'geofence', id: 7, after: 0, ...NOT_FAILED },
    ] as const
    await apply({ tasks })
    assert.deepEqual(await store.records.due(), [organization])
    assert.deepEqual(await view((each) => each.tasks(9)), [tasks[1], tasks[0]])
    const failed = { ...tasks[1], after: 12, failedAt: NOW, error: 'RangeError: no' }
    await apply({ tasks: [failed], doneTasks: [tasks[0]] })
    assert.deepEqual(await view((each) => each.tasks(9)), [failed])
    assert.deepEqual(await store.records.failures(organization), [failed])
    assert.deepEqual(await store.records.due(), [organization])
    assert.deepEqual(await store.records.due('not_failed'), [])
    await apply({ tasks: [tasks[1]] })
    assert.deepEqual(await view((each) => each.tasks(9)), [tasks[1]])
    assert.deepEqual(await store.records.failures(organization), [])
    await apply({ doneTasks: [tasks[1]] })
    assert.deepEqual(await store.records.due(), [])
  })
}

function leaseContract(it: StoreTest): void {
  it('are due until all changes are derived, by one holder at a time', async (store, reopen) => {
    const other = await reopen()
    const [one, two] = [await newOrganization(store), await newOrganization(store)]
    assert.deepEqual(await store.records.due(), [])
    await newObject(store, one)
    await newObject(store, two)
    assert.deepEqual(await other.records.due(), [], 'nobody asked for them')
    assert.deepEqual(await store.records.wanted(), [])
    for (const each of [one, two, two, MISSING]) await other.records.want(each)
    assert.deepEqual(await store.records.wanted(), [one, two])
    assert.deepEqual(await store.records.due(), [one, two])
    assert.deepEqual(await store.records.lease('a', LEASE_MS, [two, MISSING]), [two])
    assert.deepEqual(await other.records.lease('b', LEASE_MS, [one, two]), [one])
    assert.deepEqual(await store.records.lease('a', LEASE_MS, [one, two]), [two])
    const doneTasks = [{ kind: 'history', id: 0 }] as const
    const work = { ...NO_WORK, doneTasks, from: null, to: { seq: 1, at: NOW, lastId: 0 } }
    assert.deepEqual(await store.records.apply(two, 'a', work), work.to)
    await store.records.want(two)
    assert.deepEqual(await store.records.due(), [one])
    await store.objects.ensure(two, ['another'], NOW)
    assert.deepEqual(await store.records.due(), [one, two])
    await store.records.release('a')
    assert.deepEqual(await other.records.lease('b', LEASE_MS, [one, two]), [one, two])
    assert.equal(await store.records.apply(two, 'a', { ...work, from: work.to }), null)
  })
}

function readContract(it: StoreTest): void {
  it('are found by a moment, and those under way by their object', async (store) => {
    const { ids, apply, view } = await derivedOn(store, 2)
    const [one, two] = ids as [number, number]
    const puts = [
      newPut(1, stop(0, 10)),
      newPut(2, trip(10, 20)),
      newPut(3, stop(20, 30)),
      newPut(4, trip(30, null)),
      newPut(5, visit(4, 2, 40)),
      newPut(6, visit(9, 35, null)),
    ]
    await apply({ objects: [derived(one, puts), derived(two, [newPut(7, stop(5, null))])] })
    await view(async (each) => {
      const checkpoints = [-1, 0, 19, 20, 99].map((time) => each.checkpoint(one, time))
      const found = await Promise.all(checkpoints)
      assert.deepEqual(
        found.map((record) => record?.id ?? null),
        [null, 1, 1, 3, 3],
      )
      assert.deepEqual(idsOf(await each.openRecords([one, two])), [4, 6, 7])
      assert.deepEqual(idsOf(await each.openRecords([two])), [7])
      assert.deepEqual(idsOf(await each.recordsIn(one, { from: 15, to: 25 })), [2, 3, 5])
      assert.deepEqual(idsOf(await each.recordsIn(one, { from: 50, to: 60 })), [4, 6])
      assert.deepEqual(idsOf(await each.visitsTo({ geofences: [4], sites: [] }, [one, two])), [5])
      assert.deepEqual(await each.visitsTo({ geofences: [], sites: [4] }, [one, two]), [])
      const { box } = stop(0, 10)
      assert.deepEqual(await each.segments(one), [
        { start: 10, end: 20, box },
        { start: 30, end: null, box },
        { start: 0, end: 10, box },
        { start: 20, end: 30, box },
      ])
      assert.deepEqual(idsOf(await each.records('visits', [6, 5, 4, MISSING])), [5, 6])
    })
  })

  it('are nothing to other organizations', async (store) => {
    const { object, apply } = await derivedOn(store)
    await apply({ objects: [derived(object, [newPut(1, stop(0, null))])] })
    const other = await newOrganization(store)
    await newObject(store, other)
    assert.deepEqual(await store.records.page(other, { ...EVERY_TRIP, type: 'stops' }), [])
    const query = { ...EVERY_TRIP, type: 'stops', objects: [object] } as const
    assert.deepEqual(await store.records.page(other, query), [])
    await store.changeLog.view(other, async (each) => {
      assert.equal(await each.progress(), null)
      assert.deepEqual(await each.records('stops', [1]), [])
      assert.deepEqual(await each.recordsOf('stops', [object], ALWAYS, null, 9), [])
      assert.deepEqual(await each.recordsIn(object, ALWAYS), [])
      assert.deepEqual(await each.openRecords([object]), [])
      assert.equal(await each.checkpoint(object, 9), null)
      assert.equal((await each.tails([object])).size, 0)
      assert.deepEqual(await each.rows(object, -1, 9), [])
      assert.equal((await each.laterRows(new Map([[object, -1]]))).size, 0)
    })
  })
}

/** Segments of an object end to end, and visits that may overlap each other. */
const anyHistory = fc.record({
  lengths: fc.array(fc.nat(9), { maxLength: 8 }),
  isLastOpen: fc.boolean(),
  visits: fc.uniqueArray(
    fc.record({
      place: fc.integer({ min: 1, max: 3 }),
      start: fc.nat(40),
      length: fc.nat(20),
      isOpen: fc.boolean(),
    }),
    { selector: ({ place, start }) => `${place} ${start}`, maxLength: 8 },
  ),
})
const anyQuery = fc.record({
  type: fc.constantFrom('trips', 'stops', 'visits'),
  range: fc
    .tuple(fc.nat(45), fc.nat(45))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
  chosen: fc.option(fc.array(fc.nat(3), { maxLength: 3 })),
  geofences: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 })),
  minDuration: fc.constantFrom(0, 0, 3, 8),
  limit: fc.integer({ min: 1, max: 7 }),
})

function recordsOf({
  lengths,
  isLastOpen,
  visits,
}: typeof anyHistory extends fc.Arbitrary<infer T> ? T : never) {
  let start = 0
  const segments = lengths.map((length, index) => {
    const end = isLastOpen && index === lengths.length - 1 ? null : start + length
    const record =
      index % 2 === 0 ? stop(start, end, start + length) : trip(start, end, start + length)
    start += length
    return record
  })
  // Segments of one kind never begin together.
  const distinct = segments.filter(
    (each, at) =>
      !segments
        .slice(0, at)
        .some((other) => other.kind === each.kind && other.start === each.start),
  )
  return [
    ...distinct,
    ...visits.map(({ place, start, length, isOpen }) =>
      visit(place, start, isOpen ? null : start + length, start + length),
    ),
  ]
}

function pageContract(it: StoreTest): void {
  it('are paged by object and start, for any range and filters', async (store) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyHistory, { minLength: 3, maxLength: 3 }),
        fc.array(anyQuery, { minLength: 5, maxLength: 5 }),
        async (histories, queries) => {
          const { organization, ids, apply, view } = await derivedOn(store, 3)
          let id = 0
          const all = histories.map((history) => recordsOf(history))
          await apply({
            objects: all.map((records, index) => {
              const puts = records.map((record) => {
                id += 1
                return newPut(id, record)
              })
              return derived(ids[index]!, puts)
            }),
          })
          for (const { chosen, geofences, ...query } of queries) {
            const objects = chosen && ids.filter((_, index) => chosen.includes(index))
            const places = geofences && query.type === 'visits' ? { geofences, sites: [] } : null
            const wanted = { ...EVERY_TRIP, ...query, objects, places }
            const expected = ids.flatMap((object, index) =>
              objects === null || objects.includes(object)
                ? selected(all[index]!, wanted).map((record) => ({ object, record }))
                : [],
            )
            const page = (each: RecordQuery) => store.records.page(organization, each)
            assert.deepEqual(await pages(page, wanted), expected)
            const shown = { ...wanted, places: null, minDuration: 0 }
            const inView = ({ type, range, after, limit }: RecordQuery) =>
              view((each) => each.recordsOf(type, objects ?? ids, range, after, limit))
            assert.deepEqual(await pages(inView, shown), await pages(page, shown))
          }
        },
      ),
      { numRuns: runsOr(10) },
    )
  })
}

/** All pages of a query, one after the other. */
async function pages(page: (query: RecordQuery) => Promise<OwnedRecord[]>, query: RecordQuery) {
  const found: { object: number; record: DerivedRecord }[] = []
  for (let after: RecordQuery['after'] = null; ; ) {
    const next = await page({ ...query, after })
    for (const { object, record } of next) found.push({ object, record })
    const last = next.at(-1)
    if (next.length < query.limit || last === undefined) return found
    after = { object: last.object, ...keyOf(last.record) }
  }
}

function selected(records: readonly DerivedRecord[], query: RecordQuery): DerivedRecord[] {
  const { range, minDuration, places, type } = query
  return records
    .filter(({ kind }) => `${kind}s` === type)
    .filter(({ start, end }) => start <= range.to && (end === null || end >= range.from))
    .filter(({ start, until }) => until - start >= minDuration)
    .filter((each) => places === null || places.geofences.includes(keyOf(each).place))
    .sort((a, b) => a.start - b.start || keyOf(a).place - keyOf(b).place)
}

function endContract(it: StoreTest): void {
  it('go with their object, and with their organization', async (store) => {
    const { organization, ids, apply, view } = await derivedOn(store, 2)
    const [gone, kept] = ids as [number, number]
    const many = Array.from({ length: 900 }, (_, index) =>
      newPut(index + 1, trip(index * 10, index * 10 + 9)),
    )
    await apply({ objects: [derived(gone, many), derived(kept, [newPut(1_000, stop(1, null))])] })
    await store.objects.delete(organization, gone)
    assert.deepEqual(await store.records.page(organization, EVERY_TRIP), [])
    await view(async (each) => {
      assert.deepEqual(await each.recordsIn(gone, ALWAYS), [])
      assert.equal((await each.tails([gone])).size, 0)
      assert.equal((await each.openRecords([kept])).length, 1)
    })
    await apply({ objects: [{ object: kept, deletes: [], puts: [], tail: null }] })
    assert.equal((await view((each) => each.tails([kept]))).size, 0)
    const late = derived(gone, [newPut(1_001, trip(10, 20))])
    await apply({ objects: [late] })
    assert.deepEqual(await view((each) => each.recordsIn(gone, ALWAYS)), [])
    await store.organizations.delete(organization)
    assert.equal((await store.records.progress([organization])).size, 0)
    assert.deepEqual(await store.records.page(organization, { ...EVERY_TRIP, type: 'stops' }), [])
    assert.deepEqual(await store.records.due(), [])
  })

  it('are deleted once they ended before a moment, in slices', async (store) => {
    const { organization, ids, apply, view } = await derivedOn(store, 2)
    const [long, short] = ids as [number, number]
    const trips = Array.from({ length: 900 }, (_, index) =>
      newPut(index + 1, trip(index * 10, index * 10 + 9)),
    )
    const others = [
      newPut(1_001, visit(4, 5, null)),
      newPut(1_002, visit(9, 5, 20_000)),
      newPut(1_003, visit(9, 6, 7_999)),
    ]
    const objects = [
      derived(long, [...trips, ...others]),
      derived(short, [newPut(1_010, stop(1, 9_000))]),
    ]
    await apply({ objects })
    let slices = 0
    for (let after: number | null = 0; after !== null; slices++) {
      after = await store.records.purgeExpired(organization, () => 8_000, after)
    }
    assert.ok(slices > 3, `${slices} slices`)
    await view(async (each) => {
      const left = idsOf(await each.recordsIn(long, ALWAYS))
      assert.deepEqual(left, [
        ...Array.from({ length: 100 }, (_, index) => 801 + index),
        1_001,
        1_002,
      ])
      assert.deepEqual(idsOf(await each.recordsIn(short, ALWAYS)), [1_010])
    })
    assert.equal(await store.records.purgeExpired(organization, () => 8_000, 0), null)
  })
}
