import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import { mayMeet, placeIndex } from '../../src/engine/journeys/rules/place-index.ts'
import { circleZone, ringZone } from '../../src/engine/journeys/rules/zone.ts'
import { anyArrival, anyLongArrival, anySettings } from '../store-contract/arrivals.ts'
import { fixAt, NOW } from '../store-contract/fixture.ts'
import { DerivedObject } from './derived-object.ts'
import type { FoldedObject } from './folded-object.ts'
import { type PlainPlace, plainRecords, sorted } from './plain-records.ts'
import {
  type AnyPlace,
  anyPlace,
  circleOf,
  longitudeAt,
  plainPlaceOf,
  ringOf,
} from './trial-places.ts'

const MINUTE = 60_000
const START = NOW - 3 * 24 * 60 * MINUTE

/** A part of days in which an object drives to and fro between a few places and waits there. */
const anyPart = fc.record({
  wait: fc.constantFrom(
    ...[5_000, 50_000, 90_000, 3 * MINUTE, 7 * MINUTE, 40 * MINUTE, 2 * 60 * MINUTE],
  ),
  count: fc.integer({ min: 1, max: 12 }),
  every: fc.constantFrom(1_000, 10_000, 40_000, 2 * MINUTE, 6 * MINUTE),
  /** Meters in each step. */
  east: fc.constantFrom(0, 0, 0, 3, 60, 150, 700, -60, -150, -700, 90_000),
  /** Meters by which its receiver is deceived. */
  away: fc.constantFrom(0, 0, 0, 0, 0, 8_000, 15_000, 280_000),
  speed: fc.constantFrom(null, 0, 2, 4, 8, 40, 40, 60),
  ignition: fc.constantFrom(null, null, true, false),
  address: fc.constantFrom(null, 'Calle 1'),
})

/** Long days have more rows than the fold writes again after a late fix: what follows only shifts. */
const anyDays: fc.Arbitrary<Fix[]> = fc
  .tuple(
    fc.array(anyPart, { minLength: 1, maxLength: 12 }),
    fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 4),
  )
  .map(([parts, times]) => {
    let time = START
    let metres = 0
    const days = Array.from({ length: times }, () => parts).flat()
    return days.flatMap(({ wait, count, every, east, away, ...fields }) =>
      Array.from({ length: count }, (_, index) => {
        time += index === 0 ? wait : every
        metres += east
        return fixAt(time, { longitude: longitudeAt(metres + away), ...fields })
      }),
    )
  })

/** Fixes that arrive mostly in order, some of them much later and some twice. */
const anyDaysArrival: fc.Arbitrary<Fix[][]> = anyDays.chain((fixes) =>
  fc
    .record({
      delays: fc.array(fc.constantFrom(0, 0, 0, 0, 3, 1_000), {
        minLength: fixes.length,
        maxLength: fixes.length,
      }),
      again: fc.array(fc.constantFrom(...fixes), { maxLength: 5 }),
      batch: fc.integer({ min: 1, max: 20 }),
    })
    .map(({ delays, again, batch }) => {
      const arriving = fixes
        .map((fix, index) => ({ fix, at: index + delays[index]! }))
        .sort((a, b) => a.at - b.at)
        .map(({ fix }) => fix)
      return batchesOf([...arriving, ...again], batch)
    }),
)

function batchesOf(fixes: Fix[], size: number): Fix[][] {
  const batches: Fix[][] = []
  for (let from = 0; from < fixes.length; from += size) batches.push(fixes.slice(from, from + size))
  return batches
}

export type TrialStep =
  | { is: 'derive'; limit: number }
  | { is: 'fold' }
  | { is: 'place'; place: AnyPlace }
  | { is: 'recompute'; settings: Partial<ObjectSettings> }
  | { is: 'nothing' }
  | { is: 'derive twice' }

const anyStep: fc.Arbitrary<TrialStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('derive' as const),
      limit: fc.constantFrom(1, 5, 30, 1_000_000),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ is: 'nothing' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'derive twice' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'fold' as const }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('place' as const), place: anyPlace }) },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('recompute' as const), settings: anySettings }),
  },
)

/** An object with its batches, and something that happens after each. */
export type Trial = {
  settings: Partial<ObjectSettings>
  places: AnyPlace[]
  batches: Fix[][]
  steps: TrialStep[]
}

const anyBatches = fc.oneof(
  { weight: 20, arbitrary: anyDaysArrival },
  { weight: 10, arbitrary: anyArrival.map(({ batches }) => batches) },
  { weight: 1, arbitrary: anyLongArrival.map(({ batches }) => batches) },
)

export const anyTrial: fc.Arbitrary<Trial> = fc.record({
  settings: anySettings,
  places: fc.array(anyPlace, { maxLength: 4 }),
  batches: anyBatches,
  steps: fc.array(anyStep, { minLength: 1, maxLength: 20 }),
})

/** Runs a trial. Compares the records with the plain ones whenever nothing is left to derive. */
export function runTrial({ settings, places, batches, steps }: Trial): { comparisons: number } {
  const tried = new TriedObject(settings)
  let comparisons = 0
  for (const place of places) tried.edit(place)
  for (const [index, batch] of batches.entries()) {
    tried.object.append(batch)
    const step = steps[index % steps.length]!
    if (step.is === 'derive') tried.derive(step.limit)
    else if (step.is === 'derive twice') tried.deriveTwice()
    else if (step.is === 'fold') tried.object.foldOn()
    else if (step.is === 'place') tried.edit(step.place)
    else if (step.is === 'recompute') tried.object.recompute(step.settings)
    if (tried.compareIfDone()) comparisons += 1
  }
  while (tried.object.foldOn()) tried.derive(100)
  tried.deriveAll()
  assert.ok(tried.compareIfDone(), 'everything is derived')
  // A derivation of all rows from scratch finds the same.
  tried.touchAll()
  assert.equal(tried.deriveAll(), 0, 'a derivation of unchanged rows changes nothing')
  return { comparisons: comparisons + 1 }
}

class TriedObject {
  readonly object: FoldedObject
  private readonly derived: DerivedObject
  private places = new Map<string, AnyPlace>()

  constructor(settings: Partial<ObjectSettings>) {
    this.derived = new DerivedObject(settings)
    this.object = this.derived.object
  }

  derive(limit: number): void {
    this.derived.derive(this.index(), limit)
  }

  /** Returns the number of records that were written or deleted. */
  deriveAll(): number {
    let written = 0
    while (!this.derived.isDone()) {
      const derived = this.derived.derive(this.index(), 50)
      written += derived.puts.length + derived.deletes.length
    }
    return written
  }

  /** The second time nothing is left to derive. */
  deriveTwice(): void {
    this.deriveAll()
    const { puts, deletes } = this.derived.derive(this.index(), 50)
    assert.deepEqual([puts, deletes], [[], []])
  }

  touchAll(): void {
    this.derived.touch({ from: 0, to: NOW })
  }

  edit(place: AnyPlace): void {
    const { placeType, place: id } = place
    const name = `${placeType} ${id}`
    if (place.isDeleted) this.places.delete(name)
    else this.places.set(name, place)
    const zone = placeType === 'geofence' ? ringZone(ringOf(place)) : circleZone(circleOf(place))!
    for (const { record } of this.derived.table.all()) {
      const isConcerned =
        record.kind === 'visit'
          ? record.place === id && record.placeType === placeType
          : !place.isDeleted && mayMeet(record.box, zone)
      if (isConcerned) this.derived.touch({ from: record.start, to: record.until })
    }
  }

  /** Compares if nothing is left to derive. */
  compareIfDone(): boolean {
    if (!this.derived.isDone()) return false
    const plain = plainRecords(this.object.rows(-1), this.plainPlaces())
    const derived = this.derived.table.all().map(({ record }) => record)
    assert.deepEqual(sorted(derived), sorted(plain))
    return true
  }

  private index() {
    const places = [...this.places.values()]
    return placeIndex(
      places.filter(({ placeType }) => placeType === 'geofence').map(ringOf),
      places.filter(({ placeType }) => placeType === 'site').map(circleOf),
    )
  }

  private plainPlaces(): PlainPlace[] {
    return Array.from(this.places.values(), (each) => plainPlaceOf(each, each.place))
  }
}
