import fc from 'fast-check'
import { ACCURACY_DEFAULTS, type ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import { attributesWith } from '../any-attributes.ts'
import { fixAt, NOW } from './fixture.ts'

const MINUTE = 60_000
const START = NOW - 7 * 24 * 60 * MINUTE

/** The fixes of a drive in the order of their times, and the batches in which they arrived. */
export type Arrival = { fixes: Fix[]; batches: Fix[][] }

export const anySettings: fc.Arbitrary<Partial<ObjectSettings>> = fc
  .record({
    minimumDifferencePoint: fc.constantFrom(0, 0, 20, 250),
    maximumGap: fc.constantFrom(null, 5, 60, 10_080),
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

/** How a device shows a counter of its own. `reboot`: it counts from 0, until it finds its counter again. */
const anyReading = fc.constantFrom(
  ...(['none', 'true', 'true', 'true', 'error', 'less', 'reboot', 'found', 'other'] as const),
)
type SaidReading = typeof anyReading extends fc.Arbitrary<infer Said> ? Said : never

/** Km or hours that a device says: its true counter, a glitch of it, or the count since its reboot. */
function deviceCounter(start: number): (said: SaidReading, grown: number) => number | null {
  let counter = start
  let sinceReboot: number | null = null
  return (said, grown) => {
    counter += grown
    if (sinceReboot !== null) sinceReboot += grown
    if (said === 'reboot') sinceReboot = 0
    if (said === 'found') sinceReboot = null
    if (said === 'other') counter += 4_000
    if (said === 'none') return null
    if (said === 'error') return 6_553.5
    const shown = sinceReboot ?? counter
    return Math.max(0, said === 'less' ? shown - 0.4 : shown)
  }
}

/** Few names and values, so that fixes of a moment differ in them, or have the same ones. */
const fewAttributes = attributesWith(
  ['fuel', 'door', 'driver', 'temp1', 'rpm'],
  fc.constantFrom(0, 1, 20.5, -3.25, 1e300, true, false, '', 'Ayşe'),
  4,
)

/**
 * Fixes whose meaning depends on their neighbors: standing and moving, with and without speed and ignition,
 * jumps and groups of them, noise, gaps beyond the end of a trip, silences of each case, device counters with glitches, attributes, and
 * several of one moment.
 */
const anyDrive: fc.Arbitrary<Fix[]> = fc
  .array(
    fc.record({
      wait: fc.constantFrom(
        ...[0, 1_000, 10_000, 30_000, 2 * MINUTE, 6 * MINUTE, 20 * MINUTE, 90 * MINUTE],
      ),
      east: fc.constantFrom(0, 0, 1, 5, 30, 60, 200, 1_000, 60_000),
      away: fc.constantFrom('as before', 'as before', 'as before', 0, 0, 8_000, 280_000),
      speed: fc.constantFrom(null, null, 0, 3, 4, 20, 60, 410),
      ignition: fc.constantFrom(null, null, true, false),
      odometer: anyReading,
      engineHours: anyReading,
      hdop: fc.constantFrom(null, 1, 2),
      accuracy: fc.constantFrom(null, null, 5, 150),
      corrected: fc.constantFrom(false, false, true),
      address: fc.constantFrom(null, null, 'Calle 1', 'Calle 2'),
      attributes: fc.option(fewAttributes, { nil: null, freq: 2 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((legs) => {
    let time = START
    let metres = 0
    let deceivedBy = 0
    const [odometer, engineHours] = [deviceCounter(100), deviceCounter(5)]
    return legs.map(({ wait, east, away, ...fields }) => {
      time += wait
      metres += east
      if (typeof away === 'number') deceivedBy = away
      return fixAt(time, {
        longitude: longitudeOf(metres + deceivedBy),
        ...fields,
        odometer: odometer(fields.odometer, east / 1_000),
        engineHours: engineHours(fields.engineHours, wait / 3_600_000),
      })
    })
  })

/** A drive split into batches in random order, with some parts sent twice. */
export const anyArrival: fc.Arbitrary<Arrival> = anyDrive.chain((fixes) =>
  fc
    .record({
      again: fc.array(fc.constantFrom(...fixes), { maxLength: 80 }),
      shuffled: fc.shuffledSubarray(fixes, { minLength: fixes.length, maxLength: fixes.length }),
      batch: fc.integer({ min: 1, max: 12 }),
    })
    .map(({ again, shuffled, batch }) => ({
      fixes,
      batches: batchesOf([...shuffled, ...again], batch),
    })),
)

/** A part of a drive in which every fix resembles the previous one. */
const anyRun = fc.record({
  pause: fc.constantFrom(10_000, 2 * MINUTE, 6 * MINUTE, 20 * MINUTE, 10 * 60 * MINUTE),
  count: fc.constantFrom(1, 30, 130, 200, 1_100),
  every: fc.constantFrom(1_000, 10_000, MINUTE),
  kmh: fc.constantFrom(0, 3, 20, 60),
  tellsSpeed: fc.boolean(),
  ignition: fc.constantFrom(null, null, true, false),
  counters: fc.constantFrom('none', 'true', 'errors', 'reboots'),
})

const anyLongDrive: fc.Arbitrary<Fix[]> = fc
  .array(anyRun, { minLength: 2, maxLength: 5 })
  .map((runs) => {
    let time = START
    let metres = 0
    return runs.flatMap(({ pause, count, every, kmh, ...fields }) =>
      Array.from({ length: count }, (_, index) => {
        const wait = index === 0 ? pause : every
        time += wait
        metres += Math.min(wait, MINUTE) * (kmh / 3_600)
        return fixAt(time, {
          longitude: longitudeOf(metres),
          speed: fields.tellsSpeed ? kmh : null,
          ignition: fields.ignition,
          odometer: glitchOf(fields.counters, index, 100 + metres / 1_000),
          engineHours: glitchOf(fields.counters, index, time / 3_600_000),
        })
      }),
    )
  })

/** Every 50th value is an error, or the device restarts and counts from 0 for some values. */
function glitchOf(counters: string, index: number, value: number): number | null {
  if (counters === 'none') return null
  const at = index % 50
  if (counters === 'errors' && at === 25) return 16_777.215
  return counters === 'reboots' && at >= 25 && at < 29 ? (at - 25) / 10 : value
}

/** A point next to the path, more exact than the stored fix: it changes all counters. */
const anyDetour = fc.record({
  north: fc.constantFrom(0, 5, 60, 150, 3_000),
  speed: fc.constantFrom(null, 0, 60),
})

/** A drive of up to some thousands of fixes, a few of which are late or differ. */
export const anyLongArrival: fc.Arbitrary<Arrival> = anyLongDrive.chain((drive) =>
  fc
    .record({
      missed: fc.uniqueArray(fc.nat(drive.length - 1), { minLength: 1, maxLength: 6 }),
      detours: fc.array(
        fc.tuple(fc.nat(drive.length - 1), fc.constantFrom(-1, 0, 0, 500), anyDetour),
        { maxLength: 3 },
      ),
      batch: fc.constantFrom(50, 400),
    })
    .chain(({ missed, detours, batch }) => {
      const others = detours.map(([index, after, { north, speed }]) => {
        const { timeDevice, latitude, ...fix } = drive[index]!
        const where = { latitude: latitude + north / 111_000, speed, hdop: 1 }
        return { ...fix, timeDevice: timeDevice + after, ...where }
      })
      const late = [...missed.map((index) => drive[index]!), ...others]
      const inTime = drive.filter((_, index) => !missed.includes(index))
      return fc
        .shuffledSubarray(late, { minLength: late.length, maxLength: late.length })
        .map((shuffled) => ({
          fixes: [...drive, ...others],
          batches: [...batchesOf(inTime, batch), ...batchesOf(shuffled, 1)],
        }))
    }),
)

/** A fix from which later distances are counted, replaced by a better one that adds no distance. */
export const REPLACED_ANCHOR: Arrival = replacedAnchor()

function replacedAnchor(): Arrival {
  const existing = fixAt(START, { longitude: longitudeOf(0), speed: 0 })
  const better = { ...existing, longitude: longitudeOf(20), hdop: 1 }
  const drifting = fixAt(START + 10_000, { longitude: longitudeOf(10) })
  const away = fixAt(START + 20_000, { longitude: longitudeOf(160) })
  return {
    fixes: [existing, better, drifting, away],
    batches: [[existing, drifting, away], [better]],
  }
}

/** Two trips around a silence that a late fix joins, the second too long to be rewritten at once. */
export const BRIDGED_TRIPS: Arrival = bridgedTrips()

function bridgedTrips(): Arrival {
  const moving = (minute: number) =>
    fixAt(START + minute * MINUTE, { longitude: longitudeOf(minute * 600), speed: 36 })
  const first = moving(0)
  const between = moving(50)
  const second = Array.from({ length: 1_200 }, (_, minute) => moving(100 + minute))
  return {
    fixes: [first, between, ...second],
    batches: [[first, ...second], [between]],
  }
}

function longitudeOf(metresEast: number): number {
  return -97.75 + metresEast / 96_000
}

function batchesOf(fixes: Fix[], size: number): Fix[][] {
  const batches: Fix[][] = []
  for (let from = 0; from < fixes.length; from += size) batches.push(fixes.slice(from, from + size))
  return batches
}
