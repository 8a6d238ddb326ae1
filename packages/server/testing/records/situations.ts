import { ACCURACY_DEFAULTS, type ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import { fixAt, NOW } from '../store-contract/fixture.ts'

/** A fix of a tracker: seconds after the previous fix, meters to the east of it, km/h, and more. */
export type Sent = readonly [
  seconds: number,
  metres: number,
  speed: number | null,
  more?: Partial<Fix>,
]

export type Situation = {
  readonly name: string
  readonly sent: readonly Sent[]
  readonly settings?: Partial<ObjectSettings>
  /** Decimals of the coordinates. */
  readonly decimals?: number
}

const START = NOW - 60 * 86_400_000
/** On the equator, where distances are exact. */
const METRES_PER_DEGREE = 111_319.490793

export function fixesOf({ sent, decimals = 7 }: Situation): Fix[] {
  let [time, metres] = [START, 0]
  return sent.map(([seconds, east, speed, more]) => {
    time += Math.round(seconds * 1_000)
    metres += east
    const longitude = Number((10 + metres / METRES_PER_DEGREE).toFixed(decimals))
    return fixAt(time, { latitude: 0, longitude, speed, ...more })
  })
}

function times(count: number, ...sent: readonly Sent[]): Sent[] {
  return Array.from({ length: count }, () => sent).flat()
}

/** Ten minutes at 60 km/h, and a stop of ten minutes. */
const DRIVE = times(10, [60, 1_000, 60])
const PARKED = times(10, [60, 0, 0])
const HOUR = 3_600
const FAR = 280_000
const OFF: Partial<Fix> = { ignition: false }

/** Fixes each minute at an airport, while the object drives on at 60 km/h, and the first one that is back. */
function spoofed(minutes: number, far = FAR): Sent[] {
  const away: Sent[] = [[60, far, 0], ...times(minutes - 1, [60, 0, 0])]
  return [...away, [60, (minutes + 1) * 1_000 - far, 60]]
}

/** A tracker that repeats its last fix for 8 hours, and is seen again a minute later. */
function stuck(metres: number): Sent[] {
  return [...DRIVE, ...times(480, [60, 0, 60]), [60, metres, 40], ...times(5, [60, 600, 40])]
}

const sentTwice = (apart: number): Situation => ({
  name: `each fix sent twice, ${apart} s apart`,
  sent: [...times(20, [60, 1_000, 60], [apart, 0, 60]), ...PARKED],
})

export const SITUATIONS: readonly Situation[] = [
  ...[5, 30, 60, 120].map(sentTwice),
  ...[3, 4].map((decimals) => ({
    name: `a crawl at 6 km/h with ${decimals} decimals`,
    sent: [...times(60, [30, 50, 6]), ...PARKED] as Sent[],
    decimals,
  })),
  {
    name: 'a tunnel of 5 minutes with repeated fixes',
    sent: [...DRIVE, ...times(4, [60, 0, 60]), [60, 5_000, 60], ...DRIVE, ...PARKED],
  },
  ...[0, 400, 140_000].map((metres) => ({
    name: `a stuck tracker for 8 hours, left at ${metres} m`,
    sent: stuck(metres),
  })),
  {
    name: 'an excavator that reports every 10 minutes',
    sent: times(24, [600, 20, 0, { ignition: true }], [600, -15, 4, { ignition: true }]),
  },
  {
    name: 'an excavator that drives now and then',
    sent: times(8, ...times(5, [600, 10, 0, { ignition: true }]), [
      600,
      -40,
      7,
      { ignition: true },
    ]),
  },
  {
    name: 'a slow leg, then parked until the end',
    sent: [...DRIVE, [2_700, 400, 15], ...times(60, [60, 0, 0])],
  },
  {
    name: 'a phone that is silent in front of a shop',
    sent: [...DRIVE, [60, 200, 20], [2_700, 30, 15], ...DRIVE, ...PARKED],
  },
  { name: 'a jam with reports every 10 minutes', sent: times(12, [600, 600, 5]) },
  { name: 'a bus that reports every 5 minutes', sent: times(24, [300, 2_000, 24]) },
  { name: 'a walker', sent: [...times(60, [60, 92, 5.5]), ...PARKED] },
  {
    name: 'a feed’s outage of 70 minutes at 60 km/h',
    sent: [...DRIVE, [4_200, 70_000, 60], ...DRIVE, ...PARKED],
  },
  {
    name: 'a feed’s outage of 70 minutes on a round at 60 km/h',
    sent: [...DRIVE, [4_200, 900, 60], ...DRIVE, ...PARKED],
  },
  {
    name: 'a garage that is entered moving',
    sent: [...DRIVE, [60, 300, 12], [9 * HOUR, 300, 10], ...DRIVE, ...PARKED],
  },
  {
    name: 'a garage that is entered standing',
    sent: [...DRIVE, [60, 300, 0], [9 * HOUR, 300, 10], ...DRIVE, ...PARKED],
  },
  {
    name: 'a maximum gap of 5 minutes',
    sent: [...DRIVE, [400, 300, 12], ...DRIVE, [400, 50, 12], ...DRIVE, ...PARKED],
    settings: { accuracy: { ...ACCURACY_DEFAULTS, maximumGap: 5 } },
  },
  {
    name: 'a parked tracker that reports every 2 hours for 30 days, and drifts',
    sent: times(90, [2 * HOUR, 130, 0], [2 * HOUR, -160, 0], [2 * HOUR, 30, 0], [2 * HOUR, 0, 0]),
  },
  {
    name: 'a ferry with the ignition off, live',
    sent: [...DRIVE, ...times(12, [600, 4_000, 24, OFF]), ...times(10, [60, 0, 0, OFF])],
  },
  {
    name: 'a tow with the ignition off, live',
    sent: [...times(10, [60, 0, 0, OFF]), ...times(12, [60, 800, 48, OFF]), ...PARKED],
  },
  {
    name: 'a ferry with the ignition off, silent',
    sent: [...DRIVE, ...times(5, [60, 0, 0, OFF]), [2 * HOUR, 48_000, 0, OFF], ...DRIVE, ...PARKED],
  },
  {
    name: 'a ferry with the ignition off, frozen',
    sent: [
      ...[...DRIVE, ...times(120, [60, 0, 0, OFF])],
      ...([[60, 48_000, 0, OFF], ...times(5, [60, 0, 0, OFF])] as Sent[]),
      ...[...DRIVE, ...PARKED],
    ],
  },
  {
    name: 'spoofing for 30 minutes',
    sent: [...times(35, [60, 1_000, 60]), ...spoofed(30), ...times(34, [60, 1_000, 60])],
  },
  { name: 'spoofing for 90 minutes', sent: [...DRIVE, ...spoofed(90), ...DRIVE, ...PARKED] },
  {
    name: 'spoofing for 90 minutes, then in pairs',
    sent: [...DRIVE, ...spoofed(90), ...times(8, [60, 1_000, 60], ...spoofed(2)), ...PARKED],
  },
  { name: 'spoofing 8 km away', sent: [...DRIVE, ...spoofed(5, 8_000), ...DRIVE, ...PARKED] },
  {
    name: 'spoofing as first fix after a silence',
    sent: [
      ...[...DRIVE, ...PARKED],
      ...([
        [2 * HOUR, FAR * 3, 0],
        [60, 0, 0],
        [60, 1_000 - FAR * 3, 60],
      ] as Sent[]),
      ...[...DRIVE, ...PARKED],
    ],
  },
  { name: 'one wrong first fix', sent: [[0, 0, 0], [60, FAR, 60], ...DRIVE, ...PARKED] },
  {
    name: 'three wrong first fixes',
    sent: [...times(3, [60, 0, 0]), [60, FAR, 60], ...DRIVE, ...PARKED],
  },
  {
    name: 'air freight',
    sent: [...DRIVE, ...PARKED, [3 * HOUR, 2_000_000, 0], ...PARKED, ...DRIVE, ...PARKED],
  },
  {
    name: 'an outlier of 15 km that is believed',
    sent: [...DRIVE, [300, 15_000, 60], [60, -14_000, 60], ...DRIVE, ...PARKED],
  },
]
