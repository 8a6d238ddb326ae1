import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { bareFix } from '../../src/base/domain/position/fix.ts'
import { SILENCES } from '../../src/base/domain/position/fold-state.ts'
import type { ObjectState } from '../../src/base/domain/position/object-state.ts'
import type { Kept, Realtime } from '../../src/data/live/realtime.ts'
import { keep, type RealtimeTest, stateAt, statesOf } from './fixture.ts'

export function snapshotContract(name: string, it: RealtimeTest): void {
  describe(`The snapshots of ${name}`, () => {
    it('are read in the requested order, and are undefined if missing', async ({ realtime }) => {
      assert.deepEqual(await kept(realtime, 1, [1, 2]), [undefined, undefined])
      await keep(realtime, 1, { 1: 10, 2: 20 })
      assert.deepEqual(await kept(realtime, 1, []), [])
      assert.deepEqual(await kept(realtime, 1, [2, 3, 1, 2]), [
        stateAt(20),
        undefined,
        stateAt(10),
        stateAt(20),
      ])
    })

    it('return every field of a state', async ({ realtime }) => {
      const fix = { ...bareFix(5, 6, -0.0000001, 179.9999999), address: 'ş "1"', ignition: false }
      const spot = { time: 5, latitude: 1, longitude: 2 }
      const full: ObjectState = {
        lastFix: fix,
        timeServer: 6,
        timeLastIdle: 1,
        timeLastMove: 2,
        timeLastStop: null,
        address: { value: '', at: 3 },
        fold: {
          ...{ at: 5, last: spot, anchor: spot, shown: spot, suspect: { ...spot, time: 4 } },
          ...{
            lastSpeed: 7.5,
            repeats: { since: 3, speedSince: null },
            suspectSpeed: null,
            joins: true,
          },
          ...{ before: spot, start: null, origin: spot, group: { since: 3, count: 4 } },
          ...{ motion: 'idle', moved: true, parked: false, running: true },
          ...{ silence: SILENCES.at(-1)!, doubtedAt: 3 },
          ...{ activeAt: 4, tripFrom: null, odometer: 2 ** 48 - 1, mileage: 0 },
          ...{ engineHours: null, engineHoursReading: null },
          odometerReading: { value: 7, grewAt: 1, doubted: { value: 9, at: 2 }, before: null },
        },
        attributes: [
          { name: 'fuel', value: 40.5, at: 5, count: 3 },
          { name: 'ş', value: null, at: 0, count: 0 },
        ],
      }
      await realtime.snapshots.keep(1, { sequence: 1, previous: 0, states: new Map([[7, full]]) })
      assert.deepEqual(await kept(realtime, 1, [7]), [full])
    })

    it('are the same object again until a change', async ({ realtime }) => {
      await keep(realtime, 1, { 1: 10, 2: 20 })
      const [first, other] = await kept(realtime, 1, [1, 2])
      await keep(realtime, 1, { 2: 21 })
      const [again, changed] = await kept(realtime, 1, [1, 2])
      assert.equal(again, first)
      assert.notEqual(changed, other)
    })

    it('are replaced by changes, but not by filled-in states', async ({ realtime }) => {
      await fill(realtime, 1, { 1: 10 })
      await fill(realtime, 1, { 1: 11, 2: 20 })
      assert.deepEqual(await kept(realtime, 1, [1, 2]), [stateAt(10), stateAt(20)])
      await keep(realtime, 1, { 2: 21, 3: 30 })
      await fill(realtime, 1, { 1: 12, 2: 22, 3: 32 })
      assert.deepEqual(await kept(realtime, 1, [1, 2, 3]), [stateAt(10), stateAt(21), stateAt(30)])
    })

    it('become outdated together, for one organization only, and only by newer changes', async ({
      realtime,
    }) => {
      const { snapshots } = realtime
      const sequences = new Map<number, number>()
      for (const organization of [1, 2]) {
        await keep(realtime, organization, { 1: organization, 2: organization }, sequences)
      }
      await snapshots.outdate(3, 1)
      await snapshots.outdate(1, sequences.get(1)!)
      assert.deepEqual(await kept(realtime, 1, [1, 2]), [stateAt(1), stateAt(1)])
      await snapshots.outdate(1, sequences.get(1)! + 1)
      assert.deepEqual(await kept(realtime, 1, [1, 2]), [undefined, undefined])
      assert.deepEqual(await kept(realtime, 2, [1, 2]), [stateAt(2), stateAt(2)])
      await fill(realtime, 1, { 2: 9 })
      assert.deepEqual(await kept(realtime, 1, [1, 2]), [undefined, stateAt(9)])
    })
  })
}

async function kept(realtime: Realtime, organization: number, objects: number[]): Promise<Kept[]> {
  const read = await realtime.snapshots.read(organization, objects)
  return read!.kept
}

/** Fills in states as if just read from the store. */
async function fill(
  realtime: Realtime,
  organization: number,
  times: Record<number, number>,
): Promise<void> {
  const { snapshots } = realtime
  const read = await snapshots.read(organization, Object.keys(times).map(Number))
  await snapshots.fill(organization, statesOf(times), read!.version)
}
