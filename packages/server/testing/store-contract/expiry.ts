import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { recordsIn } from '../records-in-columns.ts'
import {
  append,
  fixAt,
  foldOn,
  idOf,
  NOW,
  newFleet,
  newObject,
  newOrganization,
  objectSettings,
  purge,
  type StoreTest,
  unexpected,
} from './fixture.ts'

export function expiryContract(it: StoreTest, rules: FoldRules): void {
  describe('purgeExpired', () => {
    it('deletes positions older than a moment, and hides the newest of them', async (store, reopen) => {
      const { organization, object, append, count } = await newFleet(store)
      await append([1, 2, 3, 4, 5].map(at))
      assert.equal(await count(), 5)
      await purge(store, organization, 4)
      assert.equal(await count(), 2)
      await purge(store, organization, 4)
      await purge(store, organization, 3)
      const { positions } = await reopen()
      assert.equal(await positions.count(organization, object, { from: 0, to: 9 }, 9), 2)
      await purge(store, organization, 1_000)
      assert.equal(await count(), 0)
    })

    it('processes long histories and many objects in slices', async (store) => {
      const organization = await newOrganization(store)
      const entries = Array.from({ length: 450 }, (_, index) => objectSettings(`${index}`))
      const ids = (await store.objects.put(organization, entries, NOW)).map(idOf)
      const long = [ids[0]!, ids[449]!]
      for (const object of long) {
        const fixes = Array.from({ length: 3_500 }, (_, index) => at(index))
        await append(store, organization, object, fixes)
      }
      await append(store, organization, ids[200]!, [at(7), at(3_450)])
      const slices = await purge(store, organization, 3_400)
      assert.ok(slices > 7, `${slices} slices`)
      const count = (object: number) =>
        store.positions.count(organization, object, { from: 0, to: 9_999 }, 9_999)
      for (const object of long) assert.equal(await count(object), 100)
      assert.equal(await count(ids[200]!), 1)
    })

    it('leaves one hidden position as the oldest, the state, and all counters, after each slice', async (store, _reopen, {
      rows,
    }) => {
      const { organization, object, append, state, records } = await newFleet(store)
      const minutes = Array.from({ length: 2_700 }, (_, minute) =>
        fixAt(minute * 60_000, { latitude: 30 + minute / 200, speed: 60, ignition: true }),
      )
      await append(minutes, rules)
      const before = 2_600 * 60_000
      const kept = () => records({ from: before })
      const [stateBefore, keptBefore] = [await state(), await kept()]
      assert.ok(stateBefore!.fold!.odometer! > 300_000_000)
      const oldest: number[] = []
      for (let after: number | null = 0; after !== null; ) {
        const versions = await store.organizations.versions(organization)
        after = await store.positions.purgeExpired(organization, () => before, after, unexpected)
        assert.deepEqual(await store.organizations.versions(organization), versions)
        const [first, ...others] = await rows()
        assert.ok(!first!.isShown && others.every(({ isShown }) => isShown))
        oldest.push(first!.time / 60_000)
        assert.deepEqual([await state(), await kept()], [stateBefore, keptBefore])
        await store.positions.requestRefold({ organization, object })
        await foldOn(store, rules, { organization, object })
        assert.deepEqual([await state(), await kept()], [stateBefore, keptBefore])
      }
      assert.ok(oldest.length > 2, `${oldest}`)
      assert.equal(oldest.at(-1), 2_599)
      assert.deepEqual(
        oldest,
        [...new Set(oldest)].toSorted((one, other) => one - other),
      )
      assert.equal((await rows()).length, 101)
    })

    it('postpones an object that waits for a recompute', async (store, _reopen, { rows }) => {
      const { organization, object, append } = await newFleet(store)
      await append([1, 2, 3, 4, 5].map(at), rules)
      await store.positions.requestRefold({ organization, object })
      assert.equal(await store.positions.purgeExpired(organization, () => 3, 0, unexpected), null)
      assert.equal((await rows()).length, 5)
      await foldOn(store, rules, { organization, object })
      await store.positions.purgeExpired(organization, () => 3, 0, unexpected)
      assert.deepEqual(
        (await rows()).map(({ time, isShown }) => [time, isShown]),
        [
          [2, false],
          [3, true],
          [4, true],
          [5, true],
        ],
      )
    })

    it('does not change a history that began after that moment', async (store) => {
      const { organization, append, history, records } = await newFleet(store)
      await append(Array.from({ length: 5_000 }, (_, index) => at(index)))
      const expected = await records({ from: 2_000 })
      const { blocks } = await history(null, { from: 2_000 })
      const read: Uint8Array[] = []
      for await (const block of blocks) {
        if (read.length === 0) await purge(store, organization, 2_000)
        read.push(recordsIn(block))
      }
      assert.deepEqual(Buffer.concat(read), expected)
    })

    it('does not change other organizations', async (store) => {
      const [owner, other] = [await newFleet(store), await newFleet(store)]
      for (const { append } of [owner, other]) await append([1, 2, 3].map(at))
      await purge(store, owner.organization, 1_000)
      assert.equal(await owner.count(), 0)
      assert.equal(await other.count(), 3)
    })
  })

  describe('The positions of a deleted organization', () => {
    it('are gone, and no others', async (store, _reopen, { rows }) => {
      const [gone, kept] = [await newFleet(store), await newFleet(store)]
      const fixes = Array.from({ length: 3_000 }, (_, index) => fixAt(index))
      for (const { append } of [gone, kept]) await append(fixes)
      for (const ident of ['b', 'c']) {
        const { organization } = gone
        await append(store, organization, await newObject(store, organization, ident), fixes)
      }
      await store.organizations.delete(gone.organization)
      const left = await rows()
      assert.equal(left.length, 3_000)
      assert.ok(left.every(({ organization }) => organization === kept.organization))
    })
  })
}

/** A moving fix, so that there is something to count. */
function at(time: number) {
  return fixAt(time, { longitude: -97.75 + time / 1_000, speed: 40 })
}

/** Positions every hour, of which a store packs all that it can. */
export function packedExpiryContract(it: StoreTest, rules: FoldRules): void {
  describe('purgeExpired', () => {
    const hour = (count: number) => count * 3_600_000
    const hourly = Array.from({ length: 240 }, (_, index) =>
      fixAt(hour(index), { latitude: 30 + index / 50, speed: 60, ignition: true }),
    )

    it('leaves expired positions for a day, and not longer', async (store, _reopen, { rows }) => {
      const { organization, append } = await newFleet(store)
      await append(hourly, rules)
      for (const before of [30, 48, 49, 97, 98, 200, 990]) {
        await purge(store, organization, hour(before))
        const stored = await rows()
        const shown = stored.filter(({ isShown }) => isShown).map(({ time }) => time / hour(1))
        const unexpired = Math.max(0, 240 - before)
        assert.equal(shown.filter((time) => time >= before).length, unexpired, `${before}`)
        assert.ok(
          shown.every((time) => time >= before - 24),
          `${shown[0]} before ${before}`,
        )
        assert.ok(stored.length - shown.length <= 1)
      }
    })

    it('leaves one hidden position as the oldest, the state, and all counters, after each slice', async (store, _reopen, {
      rows,
    }) => {
      const { organization, object, append, state, records } = await newFleet(store)
      await append(hourly, rules)
      const before = hour(200)
      const kept = () => records({ from: before })
      const [stateBefore, keptBefore] = [await state(), await kept()]
      const oldest: number[] = []
      for (let after: number | null = 0; after !== null; ) {
        after = await store.positions.purgeExpired(organization, () => before, after, unexpected)
        const [first, ...others] = await rows()
        assert.ok(!first!.isShown && others.every(({ isShown }) => isShown))
        oldest.push(first!.time / hour(1))
        assert.deepEqual([await state(), await kept()], [stateBefore, keptBefore])
        await store.positions.requestRefold({ organization, object })
        await foldOn(store, rules, { organization, object })
        assert.deepEqual([await state(), await kept()], [stateBefore, keptBefore])
      }
      assert.ok(oldest.length > 2 && oldest.at(-1)! >= 200 - 24 - 1, `${oldest}`)
    })
  })
}
