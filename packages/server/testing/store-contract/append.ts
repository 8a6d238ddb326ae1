import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { type ObjectState, UNSEEN } from '../../src/base/domain/position/object-state.ts'
import type { Store } from '../../src/engine/store/store.ts'
import type { AppendOutcome } from '../../src/engine/tracking/fold-tables.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  idOf,
  MISSING,
  NOW,
  newFleet,
  newObject,
  newOrganization,
  objectSettings,
  PLAIN,
  recordsFrom,
  recordsOf,
  type StoreTest,
} from './fixture.ts'

export function appendContract(it: StoreTest): void {
  describe('append', () => {
    it('accepts only objects of the organization', async (store) => {
      const [owner, other] = [await newOrganization(store), await newOrganization(store)]
      const object = await newObject(store, owner)
      const own = await newObject(store, other)
      const batch = [object, MISSING, own].map((id) => ({ object: id, fix: fixAt(1) }))
      assert.deepEqual(await store.positions.append(other, batch, PLAIN), [
        'unknown_object',
        'unknown_object',
        'accepted',
      ])
      assert.deepEqual(await append(store, MISSING, object, [fixAt(1)]), ['unknown_object'])
      assert.equal((await all(store, owner, object)).length, 0)
      assert.equal((await store.positions.states(owner)).size, 0)
    })

    it('stores nothing of a batch that fails', async (store) => {
      const { append, records } = await newFleet(store)
      await assert.rejects(append([fixAt(1), fixAt(2, { latitude: 1_000 })]), RangeError)
      assert.equal((await records()).length, 0)
      assert.deepEqual(await append([fixAt(1)]), ['accepted'])
    })

    it('folds accepted fixes, and nothing else, into the present state of the object', async (store, reopen) => {
      const { organization, object } = await newFleet(store)
      await store.objects.update(organization, object, { name: 'Renamed' }, NOW)
      const folded: [string, number | null, number][] = []
      const rules: FoldRules = {
        ...PLAIN,
        advance(fold, known, fix) {
          folded.push([known.name, fold?.at ?? null, fix.timeDevice])
          return PLAIN.advance(fold, known, fix)
        },
      }
      const batch = [3, 3, 5, 4].map((time) => ({ object, fix: fixAt(time) }))
      assert.deepEqual(await store.positions.append(organization, batch, rules), [
        'accepted',
        'duplicate',
        'accepted',
        'accepted',
      ])
      assert.deepEqual(folded, [
        ['Renamed', null, 3],
        ['Renamed', 3, 4],
        ['Renamed', 4, 5],
      ])
      const last = fixAt(6, {
        altitude: -12.5,
        angle: 359.99,
        speed: 0.1,
        engineHours: 1.5,
        odometer: 123456.789,
        hdop: 0.9,
        gpsLevel: 12,
        ignition: false,
        address: 'Straße 1',
        attributes: [
          { name: 'driver', value: 'Ayşe' },
          { name: 'fuel', value: 40.5 },
        ],
      })
      await append(await reopen(), organization, object, [last])
      const expected: ObjectState = {
        // The device's own counters are not shown.
        lastFix: { ...last, engineHours: null, odometer: null, attributes: null },
        timeServer: NOW,
        timeLastIdle: null,
        timeLastMove: 6,
        timeLastStop: null,
        address: { value: 'Straße 1', at: 6 },
        fold: PLAIN.advance(PLAIN.advance(null, {} as never, fixAt(5)).fold, {} as never, last)
          .fold,
        attributes: [
          { name: 'driver', value: 'Ayşe', at: 6, count: 1 },
          { name: 'fuel', value: 40.5, at: 6, count: 1 },
        ],
      }
      assert.deepEqual(await store.positions.states(organization), new Map([[object, expected]]))
    })

    it('stores nothing of a rejected fix except its arrival and the reason', async (store, reopen) => {
      const { organization, object, append, records, state } = await newFleet(store)
      const slow: FoldRules = {
        ...PLAIN,
        judge: ({ name }, { speed }) => ((speed ?? 0) > 100 ? `${name} is too fast` : undefined),
      }
      const give = (fixes: Fix[]) => append(fixes, slow)
      const rejected = { rejected: 'Bus 1 is too fast' }
      const fast = fixAt(9, { speed: 101, odometer: 5, timeServer: NOW + 9 })
      assert.deepEqual(await give([fast]), [rejected])
      assert.deepEqual(await state(), { ...UNSEEN, timeServer: NOW + 9 })
      assert.deepEqual(await give([fixAt(2), { ...fast, timeDevice: 1 }, fixAt(3)]), [
        'accepted',
        rejected,
        'accepted',
      ])
      assert.deepEqual(await records(), recordsFrom([fixAt(2), fixAt(3)]))
      const after = await state()
      assert.deepEqual([after?.lastFix?.timeDevice, after?.timeServer], [3, NOW + 9])
      const expected = [{ ...fast, timeDevice: 1 }, fast].map((fix) => ({
        reason: 'Bus 1 is too fast',
        timeServer: NOW + 9,
        fix,
      }))
      assert.deepEqual(await (await reopen()).positions.rejects(organization, object), expected)
      assert.deepEqual(await store.positions.rejects(MISSING, object), [])
    })

    it('replaces the worse of two fixes of a moment, in the state too', async (store) => {
      const { append, records, state } = await newFleet(store)
      const faster: FoldRules = { ...PLAIN, prefer: (a, b) => (a.speed ?? 0) - (b.speed ?? 0) }
      const fixes = [10, 30, 20, 30].map((speed, index) =>
        fixAt(7, { speed, timeServer: NOW + index }),
      )
      const outcomes: AppendOutcome[] = []
      for (const fix of fixes) outcomes.push(...(await append([fix], faster)))
      assert.deepEqual(outcomes, ['accepted', 'conflict', 'conflict', 'duplicate'])
      assert.deepEqual(await records(), recordsFrom([fixes[1]!]))
      const after = await state()
      assert.deepEqual([after?.lastFix, after?.timeServer], [fixes[1], NOW + 3])
    })

    it('alternates with another process', async (store, reopen) => {
      const { count, state, on } = await newFleet(store)
      const stores = [store, await reopen()]
      const times = Array.from({ length: 300 }, (_, index) => index)
      const outcomes = await Promise.all(
        stores.flatMap((each, speed) =>
          [0, 100, 200].map((start) => {
            const fixes = times.slice(start, start + 100).map((time) => fixAt(time, { speed }))
            return on(each).append(fixes)
          }),
        ),
      )
      const [one, two] = [outcomes.slice(0, 3).flat(), outcomes.slice(3).flat()]
      for (const time of times) {
        assert.deepEqual([one[time], two[time]].sort(), ['accepted', 'conflict'])
      }
      assert.equal(await count(), 300)
      assert.equal((await state())?.lastFix?.timeDevice, 299)
    })
  })

  describe('states', () => {
    it('are those of the reporting objects of the requesting organization', async (store) => {
      const [owner, other] = [await newOrganization(store), await newOrganization(store)]
      const seen = [await newObject(store, owner, 'a'), await newObject(store, owner, 'b')]
      const unseen = await newObject(store, owner, 'c')
      for (const object of seen) await append(store, owner, object, [fixAt(object)])
      const idsOf = async (organization: number, objects?: number[]) => [
        ...(await store.positions.states(organization, objects)).keys(),
      ]
      assert.deepEqual(await idsOf(owner), seen)
      assert.deepEqual(await idsOf(owner, [unseen, seen[1]!, MISSING, seen[1]!]), [seen[1]])
      assert.deepEqual(await idsOf(owner, []), [])
      assert.deepEqual(await idsOf(other), [])
      assert.deepEqual(await idsOf(other, seen), [])
    })

    it('are complete for a large fleet', async (store) => {
      const organization = await newOrganization(store)
      const entries = Array.from({ length: 1_201 }, (_, index) => objectSettings(`${index}`))
      const ids = (await store.objects.put(organization, entries, NOW)).map(idOf)
      const batch = ids.map((object) => ({ object, fix: fixAt(object) }))
      await store.positions.append(organization, batch, PLAIN)
      for (const asked of [undefined, ids]) {
        const states = await store.positions.states(organization, asked)
        assert.deepEqual(
          [...states.keys()].sort((a, b) => a - b),
          ids,
        )
        for (const id of ids) assert.equal(states.get(id)?.lastFix?.timeDevice, id)
      }
    })
  })
}

async function all(store: Store, organization: number, object: number): Promise<Buffer> {
  return recordsOf(await store.positions.history(organization, object, ALL_TIME, null))
}
