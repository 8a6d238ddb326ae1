import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { purgeableBefore } from '../../src/base/domain/organization.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { DAY_MS, utcDay } from '../../src/base/domain/time/time.ts'
import type { Expiry } from '../../src/engine/store/position-store.ts'
import type { Store } from '../../src/engine/store/store.ts'
import {
  fixAt,
  idOf,
  NOW,
  newOrganization,
  objectSettings,
  type StoreTest,
  unexpected,
} from './fixture.ts'

/** Days before now at which each object has a position, and a day of coverage. */
const AGES = [9, 7, 5, 3, 1]
const daysAgo = (days: number) => NOW - days * DAY_MS

/** Objects with retentions of their own, which were set long ago. */
async function objectsWith(
  store: Store,
  rules: FoldRules,
  organization: number,
  retentions: readonly (number | null)[],
): Promise<number[]> {
  const entries = retentions.map((retentionDays, index) =>
    objectSettings(`${index}`, { retentionDays }),
  )
  const ids = (await store.objects.put(organization, entries, daysAgo(3))).map(idOf)
  await store.coverage.advance(organization, { form: '', seq: 1 }, 'all')
  for (const object of ids) {
    const batch = AGES.map((age) => ({ object, fix: fixAt(daysAgo(age)) }))
    await store.positions.append(organization, batch, { ...rules, judge: () => undefined })
    const days = AGES.map((age) => ({ object, day: utcDay(daysAgo(age)), content: '1' }))
    await store.coverage.keep(organization, { form: '', seq: 1 }, days)
  }
  return ids
}

export function objectRetentionContract(it: StoreTest, rules: FoldRules): void {
  describe('The retention of an object', () => {
    for (const [ofAll, expected] of [
      [null, [5, 1, 3, 5]],
      [6, [4, 1, 3, 4]],
    ] as const) {
      it(`deletes what is older than it, in an organization with ${ofAll ?? 'no'} days`, async (store) => {
        const organization = await newOrganization(store)
        const ids = await objectsWith(store, rules, organization, [null, 1, 4, 30])
        const settings = { retentionDays: ofAll, updatedAt: 0 }
        const before: Expiry = (object) => purgeableBefore(settings, object, NOW)
        const { positions, records, coverage } = store
        for (const { purgeExpired } of [positions, records, coverage]) {
          for (let after: number | null = 0; after !== null; ) {
            after = await purgeExpired(organization, before, after, unexpected)
          }
        }
        const kept = ids.map((id) => positions.count(organization, id, { from: 0, to: NOW }, 9))
        assert.deepEqual(await Promise.all(kept), expected)
        const days = Map.groupBy(
          await coverage.days(organization, ids, 0, utcDay(NOW)),
          ({ object }) => object,
        )
        assert.deepEqual(
          ids.map((id) => days.get(id)?.length),
          expected,
        )
      })
    }

    it('deletes nothing within a day of a change of the object', async (store) => {
      const organization = await newOrganization(store)
      const [object] = await objectsWith(store, rules, organization, [null])
      await store.objects.update(organization, object!, { retentionDays: 1 }, NOW - 1)
      const settings = { retentionDays: null, updatedAt: 0 }
      const before: Expiry = (each) => purgeableBefore(settings, each, NOW)
      assert.equal(await store.positions.purgeExpired(organization, before, 0, unexpected), null)
      const range = { from: 0, to: NOW }
      assert.equal(await store.positions.count(organization, object!, range, 9), 5)
    })

    it('purges many objects with several retentions in the order of their ids', async (store) => {
      const organization = await newOrganization(store)
      const entries = Array.from({ length: 120 }, (_, index) =>
        objectSettings(`${index}`, { retentionDays: [3, 1, null][index % 3]! }),
      )
      const ids = (await store.objects.put(organization, entries, 0)).map(idOf)
      const times = Array.from({ length: 400 }, (_, index) => daysAgo(10) + index * 1_800_000)
      for (const object of ids.slice(0, 6)) {
        const batch = times.map((time) => ({ object, fix: fixAt(time) }))
        await store.positions.append(organization, batch, { ...rules, judge: () => undefined })
      }
      const settings = { retentionDays: null, updatedAt: 0 }
      const before: Expiry = (object) => purgeableBefore(settings, object, NOW)
      for (let after: number | null = 0; after !== null; ) {
        after = await store.positions.purgeExpired(organization, before, after, unexpected)
      }
      for (const [index, object] of ids.slice(0, 6).entries()) {
        const from = [daysAgo(4), daysAgo(2), 0][index % 3]!
        const expected = times.filter((time) => time >= from).length
        const range = { from: 0, to: NOW }
        assert.equal(await store.positions.count(organization, object, range, 999), expected)
      }
    })

    it('is logged with the days before, and read by views', async (store, reopen) => {
      const organization = await newOrganization(store)
      const [first, second] = (
        await store.objects.put(
          organization,
          [objectSettings('a'), objectSettings('b', { retentionDays: 20 })],
          NOW,
        )
      ).map(idOf)
      await store.objects.update(organization, first!, { retentionDays: 5 }, NOW)
      await store.objects.update(organization, first!, { name: 'Other' }, NOW)
      await store.objects.update(organization, second!, { retentionDays: null }, NOW)
      const read = await (await reopen()).changeLog.view(organization, async (view) => ({
        retained: (await view.changes(0, 9)).map(({ entries: { items } }) =>
          items.map(({ id, retainedBefore }) => [id, retainedBefore]),
        ),
        retentions: [await view.retentions(0, 9), await view.retentions(first!, 9)],
      }))
      assert.deepEqual(read?.retained, [
        [
          [first, undefined],
          [second, null],
        ],
        [[first, null]],
        [[first, undefined]],
        [[second, 20]],
      ])
      assert.deepEqual(read?.retentions, [[{ object: first, days: 5 }], []])
    })
  })
}
