import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { isWithin, type TimeRange } from '../../src/base/domain/time/time.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { type Arrival, anyArrival, anyLongArrival, anySettings } from './arrivals.ts'
import { driveOf, drivesOn, rowsOf } from './drives.ts'
import {
  fixAt,
  MISSING,
  NOW,
  newObject,
  newOrganization,
  purge,
  type StoreTest,
} from './fixture.ts'
import { runsOr } from './runs.ts'
import { newWebhook, page } from './webhooks.ts'

/** A range over a share of a drive, which begins and ends at fixes. */
export const anyShare = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 1, noNaN: true }),
)
export function rangeOf(fixes: readonly Fix[], [a, b]: readonly [number, number]): TimeRange {
  const times = fixes.map(({ timeDevice }) => timeDevice).sort((x, y) => x - y)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))]!
  return { from: at(Math.min(a, b)), to: at(Math.max(a, b)) }
}

export function erasureContract(it: StoreTest, rules: FoldRules): void {
  /** Whether the object is as one that never had the fixes of the range, whenever it was erased among the batches. */
  async function assertErased(
    store: Store,
    drives: Awaited<ReturnType<typeof drivesOn>>,
    { fixes, batches }: Arrival,
    range: TimeRange,
    share: number,
    settings: object,
  ) {
    const { organization } = drives
    const [object, other] = [await drives.add(settings), await drives.add(settings)]
    const first = Math.round(share * batches.length)
    for (const batch of batches.slice(0, first)) await drives.append(object, batch)
    assert.ok(await store.positions.erase(organization, object, { ranges: [range] }, NOW))
    await eraseAll(store, rules)
    for (const batch of batches.slice(first)) {
      const outcomes = await drives.append(object, batch)
      for (const [index, { timeDevice }] of batch.entries()) {
        assert.equal(outcomes[index] === 'erased', isWithin(range, timeDevice))
      }
    }
    await drives.foldOn()
    const kept = fixes.filter(({ timeDevice }) => !isWithin(range, timeDevice))
    if (kept.length === 0) {
      assert.equal((await drives.history(object)).length, 0)
      const state = (await store.positions.states(organization, [object])).get(object)
      assert.deepEqual([state?.fold ?? null, state?.lastFix ?? null], [null, null])
      return
    }
    await drives.append(other, kept)
    // Their packets were acknowledged, so the device was there.
    const timeServer = Math.max(...fixes.map((each) => each.timeServer))
    const seen = { object: other, fix: { ...kept[0]!, timeServer }, refused: 'conflict' as never }
    await store.positions.append(organization, [seen], rules)
    await drives.foldOn()
    await drives.assertAlike(object, other)
  }

  describe('An erased range', () => {
    it('leaves its object as if none of its positions had ever come, in whatever order', async (store) => {
      const drives = await drivesOn(store, rules)
      await fc.assert(
        fc.asyncProperty(
          fc.tuple(anyArrival, anyShare, fc.double({ min: 0, max: 1, noNaN: true }), anySettings),
          ([arrival, part, share, settings]) =>
            assertErased(store, drives, arrival, rangeOf(arrival.fixes, part), share, settings),
        ),
        { numRuns: runsOr(30) },
      )
    })

    it('does so in drives of thousands of positions', async (store) => {
      const drives = await drivesOn(store, rules)
      await fc.assert(
        fc.asyncProperty(
          fc.tuple(anyLongArrival, anyShare, fc.constantFrom(0, 0.5, 1, 1), anySettings),
          ([arrival, part, share, settings]) =>
            assertErased(store, drives, arrival, rangeOf(arrival.fixes, part), share, settings),
        ),
        { numRuns: runsOr(3) },
      )
    })

    it('goes slice by slice, its newest positions first, and says how far it is', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const drive = driveOf(1_300, 60)
      await drives.append(object, drive)
      const range = { from: drive[100]!.timeDevice, to: drive[1_249]!.timeDevice }
      await store.positions.erase(organization, object, { ranges: [range] }, NOW)
      const counts: unknown[] = []
      for (;;) {
        const erased = await store.positions.eraseSlice(rules, NOW + counts.length)
        if (erased === null) break
        const [erasure] = await store.positions.erasures(organization, object)
        const { state, doneAt } = erasure!
        counts.push([erased, rowsOf(await drives.history(object)).length, state, doneAt])
      }
      assert.deepEqual(counts, [
        [500, 800, 'under_way', null],
        [500, 300, 'under_way', null],
        [150, 150, 'done', NOW + 2],
      ])
    })

    it('refuses what comes later, without a trace but the contact', async (store) => {
      const organization = await newOrganization(store)
      const object = await newObject(store, organization, '1')
      await store.positions.erase(
        organization,
        object,
        { ranges: [{ from: NOW, to: NOW + 10 }] },
        NOW,
      )
      const batch = [NOW - 1, NOW, NOW + 10, NOW + 11].map((time) => ({
        object,
        fix: fixAt(time, { hdop: time === NOW ? 50 : 1 }),
      }))
      assert.deepEqual(await store.positions.append(organization, batch, rules), [
        ...(['accepted', 'erased', 'erased', 'accepted'] as const),
      ])
      assert.deepEqual(await store.positions.rejects(organization, object), [])
      await store.positions.address(
        organization,
        new Map([[object, { value: 'Calle 1', at: NOW + 5 }]]),
      )
      const state = (await store.positions.states(organization, [object])).get(object)!
      assert.equal(state.address, null)
    })

    it('leaves no value of a position that has expired to an object without positions', async (store) => {
      const organization = await newOrganization(store)
      const object = await newObject(store, organization, '1')
      const times = [0, 60_000, 120_000].map((after) => NOW + after)
      const fixes = times.map((time, index) =>
        fixAt(time, index === 0 ? { attributes: [{ name: 'fuel', value: 5 }] } : {}),
      )
      await store.positions.append(
        organization,
        fixes.map((fix) => ({ object, fix })),
        rules,
      )
      await purge(store, organization, times[2]!)
      const values = async () => {
        const state = (await store.positions.states(organization, [object])).get(object)!
        return state.attributes.map(({ name, value }) => [name, value])
      }
      assert.deepEqual(await values(), [['fuel', 5]])
      await store.positions.erase(
        organization,
        object,
        { ranges: [{ from: NOW, to: times[2]! }] },
        NOW,
      )
      await eraseAll(store, rules)
      assert.deepEqual(await values(), [['fuel', null]])
    })

    it('takes the rejected packets of the range with it', async (store) => {
      const organization = await newOrganization(store)
      const object = await newObject(store, organization, '1')
      const poor = [NOW, NOW + 60_000].map((time) => ({ object, fix: fixAt(time, { hdop: 50 }) }))
      await store.positions.append(organization, poor, rules)
      // The clock of its device is wrong, and it came in the range.
      const old = { object, fix: fixAt(NOW - 86_400_000), refused: 'implausible_past' as const }
      await store.positions.append(organization, [old], rules)
      assert.equal((await store.positions.rejects(organization, object)).length, 3)
      await store.positions.erase(organization, object, { ranges: [{ from: NOW, to: NOW }] }, NOW)
      await eraseAll(store, rules)
      const left = await store.positions.rejects(organization, object)
      assert.deepEqual(
        left.map(({ fix }) => fix.timeDevice),
        [NOW + 60_000],
      )
    })

    it('goes too if it waits to follow its tracker into another object', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const [before, after] = [await drives.add(), await drives.add()]
      const drive = driveOf(10, 60)
      const times = drive.map(({ timeDevice }) => timeDevice)
      await drives.append(before, drive)
      const { ident } = (await store.objects.find(organization, before))!
      const tracker = { ident, since: times[2]!, formerIdent: 'former' }
      await store.objects.moveTracker(organization, after, tracker, NOW)
      await store.positions.erase(
        organization,
        before,
        { ranges: [{ from: times[1]!, to: times[5]! }] },
        NOW,
      )
      while ((await store.positions.moveSlice(rules)) !== null);
      await eraseAll(store, rules)
      for (const [object, left] of [
        [before, times.slice(0, 1)],
        [after, times.slice(6)],
      ] as const) {
        const rows = rowsOf(await drives.history(object))
        assert.deepEqual(
          rows.map(({ time }) => time),
          left,
        )
      }
    })

    it('notes each of its positions in the change log, and the number of the last change', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const drive = driveOf(5, 60)
      await drives.append(object, drive)
      const [from, to] = [drive[1]!.timeDevice, drive[2]!.timeDevice]
      await store.positions.erase(organization, object, { ranges: [{ from, to }] }, NOW)
      await eraseAll(store, rules)
      const [erasure] = await store.positions.erasures(organization, object)
      const noted = await store.changeLog.view(organization, async (view) => {
        const [change] = await view.changes(erasure!.seq - 1, 1)
        return change!.entries.objects[0]!
      })
      const times = noted!.positions.map(({ time }) => time)
      assert.deepEqual(times.slice(0, 2), [from, to])
    })

    it('forgets the deliveries that may show it once all ranges of its request are done', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const object = await drives.add()
      const drive = driveOf(5, 60)
      await drives.append(object, drive)
      const webhook = await newWebhook(store, organization)
      await store.webhooks.add(organization, webhook, 0, page('shown'))
      const ranges = [drive[1]!, drive[3]!].map(({ timeDevice }) => {
        return { from: timeDevice, to: timeDevice }
      })
      await store.positions.erase(organization, object, { ranges }, NOW)
      const newest = async () => (await store.webhooks.newest(organization, webhook))?.message
      assert.equal(await store.positions.eraseSlice(rules, NOW), 1)
      assert.equal(await newest(), 'shown')
      await eraseAll(store, rules)
      assert.equal(await newest(), undefined)
    })

    it('is listed, asked for again with a new time, and kept for its object alone', async (store) => {
      const organization = await newOrganization(store)
      const other = await newOrganization(store, 'Other')
      const object = await newObject(store, organization, '1')
      const range = { from: 1_000, to: 2_000 }
      const { positions } = store
      const what = { ranges: [range] }
      assert.equal(await positions.erase(other, object, what, NOW), null)
      assert.equal(await positions.erase(organization, MISSING, what, NOW), null)
      assert.equal(await positions.erase(MISSING, object, what, NOW), null)
      await positions.erase(organization, object, what, NOW)
      await eraseAll(store, rules)
      await positions.erase(organization, object, what, NOW + 1)
      const state = { seq: 0, state: 'under_way' as const, doneAt: null }
      const whose = { organization, object, attribute: null }
      const listed = [{ ...whose, ...range, erasedAt: NOW + 1, ...state }]
      assert.deepEqual(await positions.erasures(organization, object), listed)
      assert.deepEqual(await positions.erasures(organization, null), listed)
      assert.deepEqual(await positions.erasures(other, null), [])
      assert.deepEqual(await positions.erasures(organization, MISSING), [])
    })
  })
}

export async function eraseAll(store: Store, rules: FoldRules): Promise<void> {
  while ((await store.positions.eraseSlice(rules, NOW)) !== null);
}
