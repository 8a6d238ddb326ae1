import { DETAIL_FIELDS, OBJECT_FIELDS } from '../encode/object-fields.ts'
import { LEVEL_FIELDS, STOP_FIELDS, TRIP_FIELDS, VISIT_FIELDS } from '../encode/record-fields.ts'
import {
  ADHERENCE_FIELDS,
  COVERAGE_FIELDS,
  DAY_FIELDS,
  DEVIATION_FIELDS,
  WAYPOINT_VISIT_FIELDS,
} from '../encode/report-fields.ts'
import { exampleOf } from '../encode/row-fields.ts'
import type { SchemaValue } from './schemas.ts'

export const van = exampleOf(OBJECT_FIELDS)
export const vanNow = exampleOf(DETAIL_FIELDS)

export const before = {
  id: van.id,
  ident: van.ident,
  name: van.name,
  latitude: 41.0085121,
  longitude: 28.9783702,
  altitude: 38.2,
  angle: 181.5,
  speed: 46.1,
  time_server: '2026-11-20T09:59:51.180Z',
  time_device: '2026-11-20T09:59:50.000Z',
  engine_hours: 4312.747,
  odometer: 128540.24,
  mileage: 12.71,
  address: 'Kennedy Cd. 14, Fatih',
} satisfies SchemaValue<'Position'>

export const latest = {
  ...before,
  latitude: vanNow.latitude!,
  longitude: vanNow.longitude!,
  altitude: vanNow.altitude,
  angle: vanNow.angle,
  speed: vanNow.speed,
  time_server: van.time_server!,
  time_device: van.time_device!,
  engine_hours: van.engine_hours,
  odometer: van.odometer,
  mileage: van.mileage,
} satisfies SchemaValue<'Position'>

export const unseen = {
  id: 1072,
  ident: '356307042441021',
  name: 'Van 72',
  latitude: null,
  longitude: null,
  altitude: null,
  angle: null,
  speed: null,
  time_server: null,
  time_device: null,
  engine_hours: null,
  odometer: null,
  mileage: null,
  address: null,
} satisfies SchemaValue<'LatestPosition'>

export const toHarbour = exampleOf(TRIP_FIELDS)
export const atDepot = exampleOf(STOP_FIELDS)
export const inDepot = exampleOf(VISIT_FIELDS)
export const refuelled = exampleOf(LEVEL_FIELDS)
export const vanOnFriday = exampleOf(DAY_FIELDS)
export const friday = exampleOf(COVERAGE_FIELDS)

const atHarbour = exampleOf(WAYPOINT_VISIT_FIELDS)
const depotPassed = { order: 2, nearest_distance: 6.02, time: toHarbour.end_time }

export const onTheWay = {
  ...exampleOf(ADHERENCE_FIELDS),
  deviations: [exampleOf(DEVIATION_FIELDS)],
  waypoints: [atHarbour, { ...atHarbour, ...depotPassed }],
} satisfies SchemaValue<'Adherence'>
