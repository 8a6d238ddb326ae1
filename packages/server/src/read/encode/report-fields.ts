import type { Route } from '../../base/domain/places/place.ts'
import type { Adherence, Deviation } from '../../engine/journeys/adherence/adherence.ts'
import type { WaypointVisit } from '../../engine/journeys/adherence/waypoint-visits.ts'
import { NO_DIGEST } from '../../engine/journeys/days/coverage-sums.ts'
import type { AddedTotals, ObjectDay } from '../../engine/journeys/days/day-totals.ts'
import type { CoverageDay } from '../../engine/journeys/days/read-coverage.ts'
import { counterDifference, DECIMALS, rounded, seconds } from '../formats/number-format.ts'
import {
  COUNT,
  DATE,
  DISTANCE,
  DRIVEN,
  FLAG,
  fieldsOf,
  HOURS,
  ID,
  INSTANT,
  type Kind,
  METRES,
  OF_OBJECT,
  type OfObject,
  optional,
  plain,
  SECONDS,
  SHARE,
  SPEED,
  TEXT,
  WHOLE,
} from './row-fields.ts'

/** Reports: the server computes them from positions when it is asked. */

const ofDay = fieldsOf<OfObject & { readonly day: ObjectDay }>()

/** An amount of a row, and what those of the rows of its day before it add up to. */
type Added = { readonly earlier: number; readonly amount: number }

const addedOf = (day: ObjectDay, name: keyof AddedTotals): Added => ({
  earlier: day.earlier?.[name] ?? 0,
  amount: day[name] ?? 0,
})

const ADDED_SECONDS: Kind<Added, number> = {
  schema: SECONDS.schema,
  show: ({ earlier, amount }) => seconds(earlier + amount) - seconds(earlier),
}

const ADDED_DISTANCE: Kind<Added, number> = {
  schema: DRIVEN.schema,
  show({ earlier, amount }, unit) {
    const driven = counterDifference(earlier + Math.max(0, amount), unit)!
    return rounded(driven - counterDifference(earlier, unit)!, DECIMALS.measure)!
  },
}

export const DAY_FIELDS = {
  ...OF_OBJECT,
  date: ofDay(DATE, 'The day in the time zone.', '2026-11-20', ({ day }) => day.day),
  distance: ofDay(
    optional(ADDED_DISTANCE),
    'The exact difference of the odometer since the last position before the day, rounded once. Null without an odometer.',
    184.27,
    ({ day }) => (day.distance === null ? null : addedOf(day, 'distance')),
  ),
  trips: ofDay(
    COUNT,
    'Trips that start on the day, by the rules of `/trips`.',
    6,
    ({ day }) => day.trips,
  ),
  moving_time: ofDay(ADDED_SECONDS, 'Time in motion, in whole seconds.', 14820, ({ day }) =>
    addedOf(day, 'movingTime'),
  ),
  idle_time: ofDay(
    ADDED_SECONDS,
    'Time at a standstill with the engine on, in whole seconds.',
    2130,
    ({ day }) => addedOf(day, 'idleTime'),
  ),
  stopped_time: ofDay(
    ADDED_SECONDS,
    'Time at a standstill with the engine off, in whole seconds.',
    69420,
    ({ day }) => addedOf(day, 'stoppedTime'),
  ),
  silent_time: ofDay(
    ADDED_SECONDS,
    'Time of trips without a signal, in whole seconds.',
    0,
    ({ day }) => addedOf(day, 'silentTime'),
  ),
  first_time: ofDay(
    INSTANT,
    'The first position of the day.',
    '2026-11-19T21:00:00.000Z',
    ({ day }) => day.first,
  ),
  last_time: ofDay(
    INSTANT,
    'The last position of the day.',
    '2026-11-20T20:59:30.000Z',
    ({ day }) => day.last,
  ),
  max_speed: ofDay(
    optional(SPEED),
    'The highest speed of the plausible positions of the day, including those that the history leaves out. Without any, the highest average speed of its legs of more than 30 seconds. At most 250 km/h. Noise of a parked device does not count. Null if unknown.',
    88.3,
    ({ day }) => day.maxSpeed,
  ),
  start_odometer: ofDay(
    optional(DISTANCE),
    'Odometer at the last position before the day. Null with `by`.',
    128402.1,
    ({ day }) => day.odometer.start,
  ),
  end_odometer: ofDay(
    optional(DISTANCE),
    'Odometer at the last position of the day. Null with `by`.',
    128586.37,
    ({ day }) => day.odometer.end,
  ),
  start_engine_hours: ofDay(
    optional(HOURS),
    'Engine hours at the last position before the day. Null with `by`.',
    4308.021,
    ({ day }) => day.engineHours.start,
  ),
  end_engine_hours: ofDay(
    optional(HOURS),
    'Engine hours at the last position of the day. Null with `by`.',
    4312.73,
    ({ day }) => day.engineHours.end,
  ),
  positions: ofDay(COUNT, 'Positions of the history on the day.', 1482, ({ day }) => day.positions),
}

/** The field that rows of a day by a text have in addition. */
export const DAY_TEXT = {
  value: ofDay(
    optional(TEXT),
    'The value of the attribute that `by` names. Null for the time without a value.',
    'A. Kaya',
    ({ day }) => day.text,
  ),
}

const ofCoverage = fieldsOf<OfObject & { readonly day: CoverageDay }>()

const REJECTED = plain<Readonly<Record<string, number>> | null>({
  type: ['object', 'null'],
  additionalProperties: { type: 'integer', minimum: 1 },
})
const DIGEST = plain<string>({ type: 'string', pattern: '^[0-9a-f]{64}$' })

const digestOf = (fields: string) =>
  `The sum modulo 2^256 of the SHA-256 digests of the rows, each in the form of RFC 8785 with only ${fields}. 64 lowercase hexadecimal digits; the order of the rows does not matter.`

export const COVERAGE_FIELDS = {
  ...OF_OBJECT,
  date: ofCoverage(DATE, 'The day in UTC.', '2026-11-20', ({ day }) => day.day),
  positions: ofCoverage(
    COUNT,
    'Positions of the history on the day.',
    1482,
    ({ day }) => day.content?.positions ?? 0,
  ),
  first_time: ofCoverage(
    optional(INSTANT),
    'The first position of the day. Null without positions.',
    '2026-11-20T05:12:10.000Z',
    ({ day }) => day.content?.first,
  ),
  last_time: ofCoverage(
    optional(INSTANT),
    'The last position of the day. Null without positions.',
    '2026-11-20T20:59:30.000Z',
    ({ day }) => day.content?.last,
  ),
  longest_gap: ofCoverage(
    optional(SECONDS),
    'The longest time between two neighboring positions of the day, in whole seconds. Null without positions.',
    1740,
    ({ day }) => day.content?.longestGap,
  ),
  late: ofCoverage(
    COUNT,
    'Positions that arrived more than an hour after they were taken.',
    12,
    ({ day }) => day.content?.late ?? 0,
  ),
  worst_lateness: ofCoverage(
    optional(SECONDS),
    'The longest delay between a position and its arrival, in whole seconds. Null without positions.',
    5400,
    ({ day }) => day.content?.worstLateness,
  ),
  rejected: ofCoverage(
    REJECTED,
    'Packets that were not accepted, by reason. A packet belongs to the day of its `time_device`, or of its arrival if that is earlier. Null if you see only a part of the day, because of the retention or the scope of your key.',
    { hdop_above_maximum: 3 },
    ({ day }) => day.rejected,
  ),
  changed_at: ofCoverage(
    optional(INSTANT),
    'When the positions of the day last changed. The server notices changes from the first request for the day on. Before that, this is when the last position arrived. Null without positions.',
    '2026-11-20T20:59:31.250Z',
    ({ day }) => day.changedAt,
  ),
  digest: ofCoverage(
    DIGEST,
    digestOf(
      '`id`, `time_device`, `time_server`, `latitude`, `longitude`, `altitude`, `angle` and `speed`',
    ),
    '5c0d1e7f9a6b3c2d4e8f00112233445566778899aabbccddeeff0123456789ab',
    ({ day }) => day.content?.digest ?? NO_DIGEST,
  ),
  counters_digest: ofCoverage(
    DIGEST,
    digestOf('`id`, `time_device` and `exact`'),
    '0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff0',
    ({ day }) => day.content?.countersDigest ?? NO_DIGEST,
  ),
}

const IN_METRES = 'in meters along the ellipsoid (WGS 84).'

const ofDeviation = fieldsOf<Deviation>()

export const DEVIATION_FIELDS = {
  start_time: ofDeviation(
    INSTANT,
    'The first position outside.',
    '2026-11-20T09:44:20.000Z',
    ({ start }) => start,
  ),
  end_time: ofDeviation(
    INSTANT,
    'The last position outside, before a return of more than 2 minutes.',
    '2026-11-20T09:46:10.000Z',
    ({ end }) => end,
  ),
  silent_time: ofDeviation(
    SECONDS,
    'The part of it without a signal, in whole seconds.',
    0,
    ({ silentTime }) => silentTime,
  ),
  greatest_distance: ofDeviation(
    METRES,
    `The greatest distance of a position from the route, ${IN_METRES}`,
    412.7,
    ({ greatestDistance }) => greatestDistance,
  ),
}

const ofWaypoint = fieldsOf<WaypointVisit>()

export const WAYPOINT_VISIT_FIELDS = {
  order: ofWaypoint(WHOLE, 'Rank in the sequence of waypoints.', 1, ({ order }) => order),
  nearest_distance: ofWaypoint(
    optional(METRES),
    `Distance of the nearest position. Null without a position, ${IN_METRES}`,
    18.4,
    ({ nearestDistance }) => nearestDistance,
  ),
  time: ofWaypoint(
    optional(INSTANT),
    'The time of that position.',
    '2026-11-20T09:41:10.000Z',
    ({ time }) => time,
  ),
  visited_in_order: ofWaypoint(
    optional(FLAG),
    'Whether a position came within the `deviation` of it, later than the previous waypoints that were visited in order. Null if the route has no `deviation`.',
    true,
    ({ isVisitedInOrder }) => isVisitedInOrder,
  ),
}

const ofAdherence = fieldsOf<
  OfObject & { readonly route: Pick<Route, 'id' | 'deviation'>; readonly adherence: Adherence }
>()

/** The fields of an adherence before its lists. */
export const ADHERENCE_FIELDS = {
  route_id: ofAdherence(ID, 'Id of the route.', 7, ({ route }) => route.id),
  ...OF_OBJECT,
  deviation: ofAdherence(
    optional(METRES),
    `The allowed deviation of the route. Null if none is set, ${IN_METRES}`,
    150,
    ({ route }) => route.deviation,
  ),
  distance: ofAdherence(
    optional(DISTANCE),
    'Distance driven in the range, by the odometer. Null without an odometer or a position.',
    7.31,
    ({ adherence }) => adherence.distance,
  ),
  share_inside: ofAdherence(
    optional(SHARE),
    'The part of the distance within the `deviation`, 0 to 1, with 4 decimals. Null without a deviation or a distance.',
    0.9312,
    ({ adherence }) => adherence.shareInside,
  ),
}
