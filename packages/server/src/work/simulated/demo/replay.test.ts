import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ACCURACY_DEFAULTS,
  type MonitoredObject,
  type ObjectSettings,
} from '../../../base/domain/monitored-object.ts'
import { type Fix, fixFault } from '../../../base/domain/position/fix.ts'
import { asStored, MICRO, packFix, unpackFix } from '../../../base/domain/position/fix-record.ts'
import type { FoldState } from '../../../base/domain/position/fold-state.ts'
import { DAY_MS, HOUR_MS } from '../../../base/domain/time/time.ts'
import { advance, motionOf } from '../../../engine/tracking/rules/advance.ts'
import { distanceMetres } from '../../../engine/tracking/rules/geodesic.ts'
import { demoFleet } from './fleet.ts'
import { aheadOf, drivenFixes, longestDriver } from './replay.ts'

const NOW = Date.UTC(2026, 10, 21, 5)

const VEHICLES = demoFleet().objects

/** By a clock that is not ahead. */
const demoFixes = (ident: string, from: number, to: number) => drivenFixes(ident, from, to, 0)

const WEEK = new Map(
  VEHICLES.map((vehicle) => [vehicle, [...demoFixes(vehicle.ident, NOW - 7 * DAY_MS, NOW)]]),
)

const REPORTING = VEHICLES.filter((vehicle) => WEEK.get(vehicle)!.length > 0)

function named(part: string): ObjectSettings {
  return VEHICLES.find(({ name }) => name.includes(part))!
}

/** Meters between two fixes on a sphere. */
function metresBetween(a: Pick<Fix, 'latitude' | 'longitude'>, b: typeof a): number {
  const radians = Math.PI / 180
  const [north, east] = [(b.latitude - a.latitude) / 2, (b.longitude - a.longitude) / 2]
  const part =
    Math.sin(north * radians) ** 2 +
    Math.cos(a.latitude * radians) * Math.cos(b.latitude * radians) * Math.sin(east * radians) ** 2
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(part))
}

test('a week of the fleet has a size suitable for a demo', () => {
  const rows = [...WEEK.values()].reduce((sum, fixes) => sum + fixes.length, 0)
  assert.ok(rows > 120_000 && rows < 300_000, `${rows} rows`)
})

test('a range contains the same fixes in order, however it is split', () => {
  const moments = fc.integer({ min: NOW - 7 * DAY_MS, max: NOW })
  fc.assert(
    fc.property(
      fc.constantFrom(...VEHICLES.map(({ ident }) => ident)),
      fc.array(moments, { minLength: 3, maxLength: 6 }),
      (ident, unsorted) => {
        const cuts = unsorted.sort((a, b) => a - b)
        const [from, to] = [cuts[0]!, cuts.at(-1)!]
        const whole = [...demoFixes(ident, from, to)]
        const parts = cuts.slice(1).flatMap((cut, i) => [...demoFixes(ident, cuts[i]!, cut)])
        assert.deepEqual(parts, whole)
        assert.ok(whole.every(({ timeDevice }) => timeDevice > from && timeDevice <= to))
      },
    ),
    { numRuns: 40 },
  )
})

const NO_COUNTERS = { engineHours: null, odometer: null, mileage: null }

test('fixes survive storage without loss, and arrive 1 to 3 seconds after they are taken', () => {
  for (const [vehicle, fixes] of WEEK) {
    let before = 0
    for (const fix of fixes) {
      assert.equal(fixFault(fix, NOW), undefined)
      assert.deepEqual(asStored(fix), fix)
      const read = { ...fix, engineHours: null, odometer: null }
      const names = fix.attributes!
      const record = packFix(fix, NO_COUNTERS, undefined, names)
      assert.deepEqual(unpackFix(record, 0, names), read)
      assert.ok(fix.timeDevice > before, `${vehicle.name} goes back in time`)
      const delay = fix.timeServer - fix.timeDevice
      assert.ok(delay >= 1000 && delay <= 3000)
      before = fix.timeDevice
    }
  }
})

test('a tank empties while the engine runs and is full in the morning, and one truck is cold', () => {
  const readingOf = ({ attributes }: Fix, name: string) =>
    attributes!.find((attribute) => attribute.name === name)?.value as number
  for (const [vehicle, fixes] of WEEK) {
    for (const [index, fix] of fixes.entries()) {
      const before = fixes[index - 1]
      const rise =
        before === undefined ? 0 : readingOf(fix, 'fuelLevel') - readingOf(before, 'fuelLevel')
      assert.ok(rise <= 0 || readingOf(fix, 'fuelLevel') > 95, `${vehicle.name} rises by ${rise} %`)
      const temperature = readingOf(fix, 'temp1')
      assert.equal(temperature !== undefined, vehicle.name === 'Truck 1 Ebre')
      if (temperature !== undefined) assert.ok(temperature > -20 && temperature < -15)
    }
  }
})

test('counters grow with the ignition on alone, and continue from the day before, over weeks and changes of the clocks', () => {
  for (const name of ['Van 1 ', 'Service 1', 'Night 1']) {
    let before: Fix | undefined
    const from = Date.UTC(2026, 9, 10)
    for (const fix of demoFixes(named(name).ident, from, from + 30 * DAY_MS)) {
      if (before !== undefined) {
        const metres = (fix.odometer! - before.odometer!) * 1000
        assert.ok(metres >= 0 && metres < 400, `${name}: ${metres} m at once`)
        assert.ok(metresBetween(before, fix) < 400)
        assert.ok(before.ignition || fix.odometer === before.odometer)
        assert.ok(before.ignition || fix.engineHours === before.engineHours)
      }
      before = fix
    }
  }
})

/** The tracks of a vehicle's week. */
function folded(settings: ObjectSettings): FoldState[] {
  const object: MonitoredObject = {
    ...settings,
    ...{ id: 1, organization: 1, createdAt: NOW, updatedAt: NOW },
  }
  const folds: FoldState[] = []
  for (const fix of demoFixes(settings.ident, NOW - 7 * DAY_MS, NOW)) {
    folds.push(advance(folds.at(-1) ?? null, object, fix).fold)
  }
  return folds
}

test('the counters that the server computes match the drives', () => {
  for (const vehicle of REPORTING) {
    const fixes = WEEK.get(vehicle)!
    const folds = folded(vehicle)
    const gained = (values: (number | null)[]) => values.at(-1)! - values[0]!
    const driven = gained(fixes.map(({ odometer }) => odometer))
    const counted = gained(folds.map(({ odometer }) => odometer)) / MICRO
    if (vehicle.odometerType === 'sensor') {
      assert.ok(Math.abs(counted - driven) < 1e-6, `${vehicle.name}: ${counted}, ${driven} km`)
      assert.equal(folds[0]!.odometer! / MICRO, fixes[0]!.odometer)
    } else {
      // Straight lines between fixes cut corners.
      assert.ok(counted <= 1.01 * driven, `${vehicle.name}: ${counted}, ${driven} km`)
      assert.ok(counted >= 0.95 * driven, `${vehicle.name}: ${counted}, ${driven} km`)
      assert.equal(folds[0]!.odometer! / MICRO, vehicle.odometer)
    }
    const ran = gained(fixes.map(({ engineHours }) => engineHours))
    const hours = gained(folds.map(({ engineHours }) => engineHours)) / HOUR_MS
    assert.ok(Math.abs(hours - ran) < 0.002, `${vehicle.name}: ${hours}, ${ran} h`)
    assert.ok(folds.every(({ suspect }) => suspect === null))
  }
})

test('vehicles remain within the city', () => {
  for (const fix of [...WEEK.values()].flat()) {
    assert.ok(fix.longitude > 2.09 && fix.longitude < 2.23, `${fix.longitude}`)
    assert.ok(fix.latitude > 41.33 && fix.latitude < 41.44, `${fix.latitude}`)
    assert.ok(fix.altitude! >= 0 && fix.altitude! < 80, `${fix.altitude} m`)
  }
})

test('day shifts rest at night and night shifts by day, in Madrid time', () => {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Madrid', hour: '2-digit' })
  const hoursMoving = (vehicle: ObjectSettings) =>
    new Set(
      WEEK.get(vehicle)!
        .filter(({ speed }) => speed! > 0)
        .map(({ timeDevice }) => Number(clock.format(timeDevice))),
    )
  for (const vehicle of REPORTING) {
    const rest = vehicle.name.startsWith('Night')
      ? [8, 9, 10, 11, 12, 13, 14, 15, 16]
      : [0, 1, 2, 3, 4]
    const moving = hoursMoving(vehicle)
    for (const hour of rest) assert.ok(!moving.has(hour), `${vehicle.name} drives at ${hour}`)
  }
  const all = new Set(REPORTING.flatMap((vehicle) => [...hoursMoving(vehicle)]))
  assert.equal(all.size, 24, 'there is always somebody on the road')
})

test('a week shows moving, idling and stopped', () => {
  const motions = WEEK.get(named('Van 1 '))!.map((fix) => motionOf(fix, ACCURACY_DEFAULTS, false))
  assert.deepEqual(new Set(motions), new Set(['moving', 'idle', 'stopped']))
})

test('the van in the workshop does not leave it; the new one has never reported', () => {
  const workshop = demoFleet().sites.find(({ name }) => name === 'Taller Marina')!
  const inRepair = WEEK.get(named('Bufarut'))!
  assert.ok(inRepair.length > 100)
  for (const fix of inRepair) assert.ok(metresBetween(fix, workshop) < workshop.radius!)
  assert.deepEqual(WEEK.get(named('Brisa')), [])
  assert.deepEqual([...demoFixes('356938035643809', NOW - DAY_MS, NOW)], [])
})

test('vehicles stop at every site', () => {
  const parked = [...WEEK.values()].flat().filter(({ ignition, speed }) => !ignition || speed === 0)
  for (const site of demoFleet().sites) {
    assert.ok(
      parked.some((fix) => metresBetween(fix, site) < site.radius!),
      site.name,
    )
  }
})

const MINUTE_MS = 60_000

/** Each hour of a working day in winter, of a Saturday and of a working day in summer. */
const STARTS = [Date.UTC(2026, 10, 18), Date.UTC(2026, 10, 21), Date.UTC(2026, 6, 22)]
  .flatMap((day) =>
    Array.from({ length: 24 }, (_, hour) => day + hour * HOUR_MS + hour * MINUTE_MS),
  )
  .map((start) => ({ start, at: new Date(start).toISOString(), ahead: aheadOf(start) }))

test('at least half of the vehicles drive in the first ten minutes, at any hour', () => {
  for (const { start, at, ahead } of STARTS) {
    const drive = VEHICLES.filter(({ ident }) =>
      drivenFixes(ident, start, start + 10 * MINUTE_MS, ahead).some(({ speed }) => speed! > 5),
    )
    assert.ok(drive.length >= VEHICLES.length / 2, `${drive.length} drive after ${at}`)
  }
})

test('at least a fifth of the vehicles drive on the first map, at any hour', () => {
  for (const { start, at, ahead } of STARTS) {
    const drive = VEHICLES.filter(({ ident }) =>
      drivenFixes(ident, start - 30_000, start, ahead).some(({ speed }) => speed! > 5),
    )
    assert.ok(drive.length >= VEHICLES.length / 5, `${drive.length} drive at ${at}`)
  }
})

test('the vehicle of the greeting moves from each of the first minutes to the next', () => {
  for (const { start, at, ahead } of STARTS) {
    const ident = longestDriver(start + ahead)
    const fixes = [...drivenFixes(ident, start - MINUTE_MS, start + 4 * MINUTE_MS, ahead)]
    const latestAt = (time: number) => fixes.findLast(({ timeDevice }) => timeDevice <= time)!
    for (let minute = 1; minute <= 4; minute++) {
      const time = start + minute * MINUTE_MS
      const [before, after] = [latestAt(time - MINUTE_MS), latestAt(time)]
      const metres = distanceMetres(
        ...([before.latitude, before.longitude, after.latitude, after.longitude] as const),
      )
      assert.ok(metres > 20, `${Math.round(metres)} m in minute ${minute} after ${at}`)
    }
  }
})

test('the clock is less than four days ahead, and never behind', () => {
  for (const { ahead } of STARTS) {
    assert.ok(ahead >= 0 && ahead < 4 * DAY_MS, `${ahead / HOUR_MS} h`)
  }
})

test('fixes by the clock of the fleet have times of the system', () => {
  const [{ ident }] = VEHICLES as [(typeof VEHICLES)[number]]
  const from = Date.UTC(2026, 10, 20, 10)
  const there = [...drivenFixes(ident, from, from + HOUR_MS, 0)]
  const here = [...drivenFixes(ident, from - HOUR_MS, from, HOUR_MS)]
  assert.deepEqual(
    here.map(({ timeDevice, timeServer }) => [timeDevice + HOUR_MS, timeServer + HOUR_MS]),
    there.map(({ timeDevice, timeServer }) => [timeDevice, timeServer]),
  )
  assert.deepEqual(here[0]!.latitude, there[0]!.latitude)
})
