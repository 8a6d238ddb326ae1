import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Fix } from '../../domain/fix.ts'
import type { Tracking } from '../../domain/track.ts'
import { ACCURACY_DEFAULTS, type ObjectSettings } from '../../domain/tracked-object.ts'
import type { Store } from '../store.ts'
import {
  ALL_TIME,
  fixAt,
  idOf,
  NOW,
  newOrganization,
  type OpenStore,
  objectSettings,
  onStore,
  recordsOf,
} from './fixture.ts'

const MINUTE = 60_000
const START = NOW - 7 * 24 * 60 * MINUTE

/**
 * Fixes whose neighbourhood decides what they mean: standing and moving, with and without speed and
 * ignition, jumps, gaps beyond a trip's end, device counters that drop, and several of one moment.
 */
const anyDrive: fc.Arbitrary<Fix[]> = fc
  .array(
    fc.record({
      wait: fc.constantFrom(0, 1_000, 10_000, 30_000, 2 * MINUTE, 6 * MINUTE, 20 * MINUTE),
      east: fc.constantFrom(0, 0, 1, 5, 30, 200, 1_000, 60_000),
      speed: fc.constantFrom(null, null, 0, 3, 4, 20, 60, 410),
      ignition: fc.constantFrom(null, null, true, false),
      odometer: fc.constantFrom(null, null, 5, 100.5, 101, 99.9, 3_000),
      engineHours: fc.constantFrom(null, 1, 1.05, 2),
      hdop: fc.constantFrom(null, 1, 2),
      address: fc.constantFrom(null, null, 'Calle 1', 'Calle 2'),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((legs) => {
    let time = START
    let metres = 0
    return legs.map(({ wait, east, ...told }) => {
      time += wait
      metres += east
      return fixAt(time, { longitude: -97.75 + metres / 96_000, ...told })
    })
  })

const anySettings: fc.Arbitrary<Partial<ObjectSettings>> = fc
  .record({
    minimumDifferencePoint: fc.constantFrom(0, 0, 20, 250),
    distanceSource: fc.constantFrom('gps', 'odometer'),
    stopDetectionMethod: fc.constantFrom('speed', 'ignition'),
    counters: fc.constantFrom('system', 'sensor'),
  })
  .map(({ counters, ...accuracy }) => ({
    odometerType: counters as 'system' | 'sensor',
    engineHoursType: counters as 'system' | 'sensor',
    odometerOffset: 7,
    odometer: 1_000,
    accuracy: { ...ACCURACY_DEFAULTS, ...accuracy },
  }))

/** A drive cut into batches in an order in which none of it was driven, some of it sent twice. */
const anyArrival = anyDrive.chain((fixes) =>
  fc.record({
    fixes: fc.constant(fixes),
    order: fc.array(fc.nat(fixes.length - 1), { maxLength: 80 }),
    shuffled: fc.shuffledSubarray(fixes, { minLength: fixes.length, maxLength: fixes.length }),
    batch: fc.integer({ min: 1, max: 12 }),
  }),
)

export function orderContract(open: OpenStore, tracking: Tracking): void {
  describe('the order of arrival', () => {
    it(
      'changes nothing: not the history, not its counters, not the state',
      onStore(open, async (store) => {
        const organization = await newOrganization(store)
        let objects = 0
        const add = async (settings: Partial<ObjectSettings>) => {
          objects += 1
          const entry = objectSettings(`${objects}`, settings)
          return idOf((await store.objects.put(organization, [entry], NOW))[0])
        }
        await fc.assert(
          fc.asyncProperty(anyArrival, anySettings, async (arrival, settings) => {
            const { fixes, shuffled, order, batch } = arrival
            const [sorted, mixed] = [await add(settings), await add(settings)]
            const append = (object: number, some: Fix[]) =>
              store.positions.append(
                organization,
                some.map((fix) => ({ object, fix })),
                tracking,
              )
            await append(sorted, fixes)
            const arriving = [...shuffled, ...order.map((index) => fixes[index]!)]
            for (let from = 0; from < arriving.length; from += batch) {
              await append(mixed, arriving.slice(from, from + batch))
            }
            while ((await store.positions.refold(null, tracking)) !== null);
            await assertAlike(store, organization, mixed, sorted)
            // And so does a fold of what is stored, from the first position on.
            await store.positions.requestRefold({ organization, object: mixed })
            while ((await store.positions.refold(null, tracking)) !== null);
            await assertAlike(store, organization, mixed, sorted)
          }),
          { numRuns: Number(process.env.FOLD_RUNS ?? 150) },
        )
      }),
    )
  })
}

async function assertAlike(store: Store, organization: number, a: number, b: number) {
  const [historyA, historyB] = [
    await recordsOf(await store.positions.history(organization, a, ALL_TIME, null)),
    await recordsOf(await store.positions.history(organization, b, ALL_TIME, null)),
  ]
  assert.ok(historyB.length > 0)
  assert.deepEqual(historyA, historyB)
  const states = await store.positions.states(organization, [a, b])
  assert.deepEqual(states.get(a), states.get(b))
}
