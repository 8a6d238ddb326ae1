import { numberOf } from '../../base/domain/attributes/shown-number.ts'
import type { DistanceUnit } from '../../base/domain/organization.ts'
import type { AddressAt } from '../../base/domain/position/object-state.ts'
import {
  averageSpeed,
  type DerivedRecord,
  type LevelChange,
  type Stop,
  type Trip,
  type TripPoint,
  type Visit,
  type VisitedType,
} from '../../base/domain/record.ts'
import type { Summaries } from '../../engine/journeys/days/attribute-spans.ts'
import type { OwnedRecord } from '../../engine/store/record-store.ts'
import type { Geometry } from '../formats/geojson.ts'
import {
  COUNT,
  DISTANCE,
  DRIVEN,
  FLAG,
  fieldsOf,
  HOURS,
  ID,
  IDS,
  INSTANT,
  LATITUDE,
  LONGITUDE,
  NUMBER,
  OF_OBJECT,
  type OfObject,
  optional,
  plain,
  REVISION,
  type RowField,
  SECONDS,
  SPEED,
  TEXT,
} from './row-fields.ts'

/** The surroundings of records: the parts of a row that are not in the record. */
export type RecordContext = {
  readonly unit: DistanceUnit
  object(id: number): OfObject['object']
  /** For positions that brought no address. */
  readonly addressAt: AddressAt
  /** Null if the place was deleted, and its visits are about to go. */
  placeName(placeType: Visit['placeType'], place: number): string | null
  /** The name of a level in the catalogue. */
  attributeName(attribute: number): string
  /** The coordinates of a place. Null as its name. */
  placeGeometry?(placeType: Visit['placeType'], place: number): Geometry | null
}

/** A record with the parts of its row that are not in the record. */
export type ShownRecord<Of extends DerivedRecord = DerivedRecord> = OfObject & {
  readonly owned: OwnedRecord
  readonly record: Of
  readonly context: RecordContext
  /** Only if they were asked for. */
  readonly attributes?: Summaries | undefined
}

const ofRecord = fieldsOf<ShownRecord>()
const ofTrip = fieldsOf<ShownRecord<Trip>>()
const ofStop = fieldsOf<ShownRecord<Stop>>()
const ofBegun = fieldsOf<ShownRecord<Stop | LevelChange>>()
const ofVisit = fieldsOf<ShownRecord<Visit>>()
const ofLevel = fieldsOf<ShownRecord<LevelChange>>()

const own = (thing: string, example: number) => ({
  id: ofRecord(ID, `Id of the ${thing}.`, example, ({ owned }) => owned.id),
  ...OF_OBJECT,
})

const STATE = {
  open: ofRecord(
    FLAG,
    'Whether it is still in progress. Its end is then null.',
    false,
    ({ record }) => record.end === null,
  ),
  revision: ofRecord(REVISION, 'Grows with every change.', 3, ({ owned }) => owned.revision),
  updated_at: ofRecord(
    INSTANT,
    'When the record was last changed.',
    '2026-11-20T09:57:20.300Z',
    ({ owned }) => owned.updatedAt,
  ),
}

const duration = (example: number) => ({
  duration: ofRecord(
    SECONDS,
    'From its start to its end, or to the newest position so far, in whole seconds.',
    example,
    ({ record }) => record.until - record.start,
  ),
})
const positions = (example: number) => ({
  positions: ofRecord(
    COUNT,
    'Positions of the history from its start to its end, both included.',
    example,
    ({ record }) => record.positions,
  ),
})
const longestGap = (example: number) => ({
  longest_gap: fieldsOf<ShownRecord<Trip | Stop | LevelChange>>()(
    SECONDS,
    'The longest time between two positions, in whole seconds.',
    example,
    ({ record }) => record.longestGap,
  ),
})

const addressOf = (
  { address, latitude, longitude }: Pick<TripPoint, 'address' | 'latitude' | 'longitude'>,
  { context }: ShownRecord,
) => address ?? context.addressAt(latitude, longitude)

const DEGREES = 'Degrees (WGS 84).'

export const TRIP_FIELDS = {
  ...own('trip', 48212),
  start_time: ofTrip(
    INSTANT,
    'The position from which its first distance was counted.',
    '2026-11-20T09:41:10.000Z',
    ({ record }) => record.start,
  ),
  start_latitude: ofTrip(LATITUDE, DEGREES, 41.0136, ({ record }) => record.from.latitude),
  start_longitude: ofTrip(LONGITUDE, DEGREES, 28.9497, ({ record }) => record.from.longitude),
  start_address: ofTrip(
    optional(TEXT),
    'Address of the start, from its packet or of its coordinates. Null if unknown.',
    'Kennedy Cd. 2, Fatih',
    (shown) => addressOf(shown.record.from, shown),
  ),
  start_odometer: ofTrip(
    optional(DISTANCE),
    'Odometer at the start, in the distance unit of the organization.',
    128533.06,
    ({ record }) => record.from.odometer,
  ),
  start_engine_hours: ofTrip(
    optional(HOURS),
    'Engine hours at the start.',
    4312.572,
    ({ record }) => record.from.engineHours,
  ),
  end_time: ofTrip(
    optional(INSTANT),
    'The first position at a standstill after its last counted distance. Null while it is open.',
    '2026-11-20T09:51:50.000Z',
    ({ record }) => record.end,
  ),
  end_latitude: ofTrip(optional(LATITUDE), DEGREES, 41.0162, ({ record }) => record.to?.latitude),
  end_longitude: ofTrip(
    optional(LONGITUDE),
    DEGREES,
    28.9801,
    ({ record }) => record.to?.longitude,
  ),
  end_address: ofTrip(
    optional(TEXT),
    'Address of the end, from its packet or of its coordinates. Null if unknown.',
    'Kennedy Cd. 14, Fatih',
    (shown) => shown.record.to && addressOf(shown.record.to, shown),
  ),
  end_odometer: ofTrip(
    optional(DISTANCE),
    'Odometer at the end.',
    128540.37,
    ({ record }) => record.to?.odometer,
  ),
  end_engine_hours: ofTrip(
    optional(HOURS),
    'Engine hours at the end.',
    4312.75,
    ({ record }) => record.to?.engineHours,
  ),
  distance: ofTrip(
    optional(DRIVEN),
    'The exact difference of the odometer since the end of the previous trip, rounded once. Null without an odometer.',
    7.31,
    ({ record }) => record.distance,
  ),
  ...duration(640),
  moving_time: ofTrip(
    SECONDS,
    'Time in motion, in whole seconds.',
    520,
    ({ record }) => record.movingTime,
  ),
  idle_time: ofTrip(
    SECONDS,
    'Time at a standstill with the engine on, in whole seconds.',
    60,
    ({ record }) => record.idleTime,
  ),
  silent_time: ofTrip(
    SECONDS,
    'The duration of a trip without a signal, of which only the two ends are known. It is neither moving, idle nor stopped. 0 for any other trip. In whole seconds.',
    0,
    ({ record }) => record.silentTime,
  ),
  max_speed: ofTrip(
    optional(SPEED),
    'The highest speed of its plausible positions, including those that the history leaves out. Without any, the highest average speed of its legs of more than 30 seconds. Never below `average_speed`, and at most 250 km/h. Noise of a parked device does not count. Null if unknown.',
    71.4,
    ({ record }) => record.maxSpeed,
  ),
  average_speed: ofTrip(
    optional(SPEED),
    'Distance divided by duration. Null if one of them is missing.',
    41.12,
    ({ record }) => averageSpeed(record),
  ),
  ...positions(64),
  ...longestGap(20),
  ...STATE,
}

/** Where a stop or a change of level began, and what was counted until its end. */
const AT_BEGINNING = {
  latitude: ofBegun(LATITUDE, DEGREES, 41.0136, ({ record }) => record.latitude),
  longitude: ofBegun(LONGITUDE, DEGREES, 28.9497, ({ record }) => record.longitude),
  address: ofBegun(
    optional(TEXT),
    'Address of the first position, from its packet or of its coordinates. Null if unknown.',
    'Kennedy Cd. 2, Fatih',
    (shown) => addressOf(shown.record, shown),
  ),
  ...duration(1705),
  idle_time: ofBegun(
    SECONDS,
    'Time with the engine on, in whole seconds.',
    60,
    ({ record }) => record.idleTime,
  ),
  ...positions(29),
  ...longestGap(65),
  geofence_ids: ofBegun(
    IDS,
    'Ids of the geofences that contain its first position.',
    [],
    ({ record }) => record.geofences,
  ),
  site_ids: ofBegun(
    IDS,
    'Ids of the sites that contain its first position.',
    [31],
    ({ record }) => record.sites,
  ),
}

export const STOP_FIELDS = {
  ...own('stop', 48211),
  start_time: ofStop(
    INSTANT,
    'Its first position.',
    '2026-11-20T09:12:45.000Z',
    ({ record }) => record.start,
  ),
  end_time: ofStop(
    optional(INSTANT),
    'Its last position, where the next trip starts. Null while it is open.',
    '2026-11-20T09:41:10.000Z',
    ({ record }) => record.end,
  ),
  ...AT_BEGINNING,
  ...STATE,
}

const PLACE_TYPE = plain<VisitedType>({ type: 'string', enum: ['geofence', 'site'] })

export const VISIT_FIELDS = {
  ...own('visit', 48210),
  place_type: ofVisit(
    PLACE_TYPE,
    'The type of the place.',
    'site',
    ({ record }) => record.placeType,
  ),
  place_id: ofVisit(ID, 'Id of the place.', 31, ({ record }) => record.place),
  place_name: ofVisit(
    optional(TEXT),
    'The current name of the place. Null if it was deleted a moment ago.',
    'Main depot',
    ({ record, context }) => context.placeName(record.placeType, record.place),
  ),
  start_time: ofVisit(
    INSTANT,
    'The first position inside.',
    '2026-11-20T09:12:05.000Z',
    ({ record }) => record.start,
  ),
  end_time: ofVisit(
    optional(INSTANT),
    'The last position inside, before an absence of more than 2 minutes. Null while it is open.',
    '2026-11-20T09:42:10.000Z',
    ({ record }) => record.end,
  ),
  before_time: ofVisit(
    optional(INSTANT),
    'The last position outside, before the visit. Null if there is none.',
    '2026-11-20T09:11:55.000Z',
    ({ record }) => record.before,
  ),
  after_time: ofVisit(
    optional(INSTANT),
    'The first position outside, after the visit. Null while it is open.',
    '2026-11-20T09:42:20.000Z',
    ({ record }) => record.after,
  ),
  ...duration(1805),
  distance: ofVisit(
    optional(DRIVEN),
    'Distance between its first and its last position inside. Null without an odometer.',
    0.4,
    ({ record }) => record.distance,
  ),
  ...positions(39),
  ...STATE,
}

const LEVEL_KIND = plain<LevelChange['change']>({ type: 'string', enum: ['filled', 'drained'] })

const amount = (
  description: string,
  example: number,
  name: 'amount' | 'before' | 'after',
): RowField<ShownRecord<LevelChange>, number> =>
  ofLevel(NUMBER, description, example, ({ record }) => numberOf(record[name], record))

export const LEVEL_FIELDS = {
  ...own('change of level', 48213),
  attribute: ofLevel(
    TEXT,
    'The name of the level in the catalogue of attributes.',
    'fuel_level',
    ({ record, context }) => context.attributeName(record.attribute),
  ),
  kind: ofLevel(
    LEVEL_KIND,
    'Whether the level rose or fell.',
    'filled',
    ({ record }) => record.change,
  ),
  amount: amount(
    'By how much, in the unit of the attribute. Never below its threshold.',
    212.4,
    'amount',
  ),
  before: amount('The smoothed level before it.', 91.2, 'before'),
  after: amount('The smoothed level after it.', 303.6, 'after'),
  start_time: ofLevel(
    INSTANT,
    'The last position before the level changed.',
    '2026-11-20T09:12:45.000Z',
    ({ record }) => record.start,
  ),
  end_time: ofLevel(
    INSTANT,
    'The first position with the new level.',
    '2026-11-20T09:41:10.000Z',
    ({ record }) => record.until,
  ),
  ...AT_BEGINNING,
  ...STATE,
  open: ofLevel(
    FLAG,
    'Whether later positions may still move or remove it.',
    false,
    ({ record }) => record.isOpen,
  ),
}
