import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { fixAt, NOW, newFleet, type StoreTest } from './fixture.ts'

/** 20 November 2026 was a Friday. */
const HOUR_MS = 3_600_000
const at = (hour: number) =>
  fixAt(NOW + hour * HOUR_MS, { latitude: 30.25 + hour / 100, timeServer: NOW + 24 * HOUR_MS })

export function privateHoursContract(it: StoreTest, rules: FoldRules): void {
  const everything = async (
    store: Store,
    { organization, object, records, state }: Awaited<ReturnType<typeof newFleet>>,
  ) => ({
    records: await records(),
    state: await state(),
    rejects: await store.positions.rejects(organization, object),
    changes: await store.changeLog.view(organization, async (view) => view.asOf),
    versions: await store.organizations.versions(organization),
  })

  describe('private hours', () => {
    it('leave no trace of a fix, in order or late, good or bad', async (store, reopen) => {
      const fleet = await newFleet(store)
      const { organization, object } = fleet
      await store.objects.update(organization, object, { privateHours: 'Fr 06:00-09:00' }, NOW)
      assert.deepEqual(await fleet.append([5, 9].map(at), rules), ['accepted', 'accepted'])
      const before = await everything(store, fleet)
      const strict: FoldRules = { ...rules, judge: () => 'hdop_above_maximum' }
      assert.deepEqual(await fleet.append([at(6), at(8.99)], rules), ['private', 'private'])
      assert.deepEqual(await fleet.append([at(7)], strict), ['private'])
      assert.deepEqual(await everything(store, fleet), before)
      assert.deepEqual(await fleet.on(await reopen()).append([at(7)], rules), ['private'])
      assert.deepEqual(await everything(store, fleet), before)
    })

    it('make a fleet as if its device had not sent then', async (store) => {
      const [fleet, other] = [await newFleet(store), await newFleet(store)]
      const patch = { privateHours: 'Fr 06:00-09:00', privateRanges: '2026-11-20T15:00/2026-11-21' }
      await store.objects.update(fleet.organization, fleet.object, patch, NOW)
      const hours = Array.from({ length: 48 }, (_, index) => index / 2)
      const open = hours.filter((hour) => hour < 6 || (hour >= 9 && hour < 15))
      // The last hours come first, so that some are late.
      await fleet.append([...hours.slice(20), ...hours.slice(0, 20)].map(at), rules)
      await other.append(open.map(at), rules)
      assert.deepEqual(await fleet.records(), await other.records())
      assert.deepEqual(await fleet.state(), await other.state())
    })

    it('count from a change on, and what is stored stays', async (store) => {
      const { organization, object, append, records } = await newFleet(store)
      const change = (privateHours: string | null) =>
        store.objects.update(organization, object, { privateHours }, NOW)
      assert.deepEqual(await append([at(1)]), ['accepted'])
      const before = await records()
      await change('Mo-Su')
      assert.deepEqual(await append([at(1), at(2)]), ['private', 'private'])
      assert.deepEqual(await records(), before)
      await change(null)
      assert.deepEqual(await append([at(1), at(2)]), ['duplicate', 'accepted'])
    })

    it('are in their own time zone, or in that of the organization', async (store) => {
      const { organization, object, append } = await newFleet(store, {
        timeZone: 'Pacific/Kiritimati',
      })
      const change = (patch: object) => store.objects.update(organization, object, patch, NOW)
      await change({ privateHours: 'Fr' })
      // It is Friday in Kiritimati from Thursday, 10:00 UTC on.
      assert.deepEqual(await append([at(9), at(10)]), ['private', 'accepted'])
      await store.organizations.update(organization, { timeZone: 'Etc/GMT+12' }, NOW)
      assert.deepEqual(await append([at(11), at(12)]), ['accepted', 'private'])
      await change({ privateTimeZone: 'Etc/GMT-14' })
      assert.deepEqual(await append([at(8), at(13)]), ['private', 'accepted'])
    })

    it('have a fix whose clock is wrong, if it came in them', async (store) => {
      const { organization, object, append, state } = await newFleet(store)
      const patch = { privateRanges: '2026-11-21T00:00Z/2026-11-21T00:01Z' }
      await store.objects.update(organization, object, patch, NOW)
      const strict: FoldRules = { ...rules, judge: () => 'hdop_above_maximum' }
      const wrong = [{ object, fix: at(3), isClockWrong: true }]
      assert.deepEqual(await store.positions.append(organization, wrong, strict), ['private'])
      assert.deepEqual(await store.positions.rejects(organization, object), [])
      assert.equal((await state())?.timeServer, undefined)
      assert.deepEqual(await append([at(3)], rules), ['accepted'])
    })
  })
}
