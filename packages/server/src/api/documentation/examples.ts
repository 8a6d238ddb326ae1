import type { SchemaValue } from './schemas.ts'

export const van = {
  id: 1071,
  name: 'Van 71',
  ident: '356307042441013',
  time_server: '2026-11-20T10:00:01.250Z',
  time_device: '2026-11-20T10:00:00.000Z',
  time_last_idle: '2026-11-20T09:41:10.000Z',
  time_last_move: '2026-11-20T10:00:00.000Z',
  time_last_stop: '2026-11-20T09:12:45.000Z',
  engine_hours: 4312.75,
  engine_hours_type: 'system',
  odometer: 128540.37,
  odometer_type: 'sensor',
  vehicle_data: { vin: 'WDB9634031L123459', plate_number: '34 FG 1071' },
  mileage: 12.84,
  address: 'Kennedy Cd. 14, Fatih',
  accuracy: {
    device_timezone: 'Europe/Istanbul',
    maximum_hdop: 10,
    minimum_difference_point: 0,
    minimum_gps_level: 0,
    idle_speed_threshold: 3,
    minimum_moving_speed: 5,
    distance_source: 'gps',
    stop_detection_method: 'speed',
  },
  created_at: '2026-03-02T08:15:00.000Z',
} satisfies SchemaValue<'Object'>

export const vanNow = {
  ...van,
  latitude: 41.0082376,
  longitude: 28.9783589,
  altitude: 38.5,
  angle: 182.25,
  speed: 47.52,
} satisfies SchemaValue<'ObjectDetail'>

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
  latitude: vanNow.latitude,
  longitude: vanNow.longitude,
  altitude: vanNow.altitude,
  angle: vanNow.angle,
  speed: vanNow.speed,
  time_server: van.time_server,
  time_device: van.time_device,
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

export const harbour = {
  id: 12,
  name: 'Harbour',
  description: 'Gate is closed at night',
  color: '#2f80ed',
  coordinates: [
    [28.9771, 41.0172],
    [28.9834, 41.0175],
    [28.9829, 41.0141],
    [28.9771, 41.0172],
  ],
  created_at: '2026-03-02T08:15:00.000Z',
  updated_at: '2026-10-12T14:40:21.000Z',
} satisfies SchemaValue<'Geofence'>

export const harbourToDepot = {
  id: 7,
  name: 'Harbour to depot',
  description: null,
  color: '#27ae60',
  deviation: 150,
  points: [
    { location: [28.9771, 41.0172], order: 1 },
    { location: [28.9497, 41.0136], order: 2 },
  ],
  coordinates: [
    [
      [28.9771, 41.0172],
      [28.9644, 41.0169],
      [28.9497, 41.0136],
    ],
  ],
  created_at: '2026-03-02T08:15:00.000Z',
  updated_at: '2026-03-02T08:15:00.000Z',
} satisfies SchemaValue<'Route'>

export const depot = {
  id: 31,
  name: 'Main depot',
  description: 'Open on working days',
  icon: 'warehouse',
  latitude: 41.0136,
  longitude: 28.9497,
  radius: 250,
  created_at: '2026-03-02T08:15:00.000Z',
  updated_at: '2026-10-12T14:40:21.000Z',
} satisfies SchemaValue<'Site'>

const ofTheVan = { object_id: van.id, ident: van.ident, name: van.name }
const revised = { open: false, revision: 3, updated_at: '2026-11-20T09:57:20.300Z' }

export const toHarbour = {
  id: 48212,
  ...ofTheVan,
  start_time: '2026-11-20T09:41:10.000Z',
  start_latitude: depot.latitude,
  start_longitude: depot.longitude,
  start_address: 'Kennedy Cd. 2, Fatih',
  start_odometer: 128533.06,
  start_engine_hours: 4312.572,
  end_time: '2026-11-20T09:51:50.000Z',
  end_latitude: 41.0162,
  end_longitude: 28.9801,
  end_address: 'Kennedy Cd. 14, Fatih',
  end_odometer: 128540.37,
  end_engine_hours: 4312.75,
  distance: 7.31,
  duration: 640,
  moving_time: 520,
  idle_time: 60,
  max_speed: 71.4,
  average_speed: 41.12,
  positions: 64,
  longest_gap: 20,
  ...revised,
} satisfies SchemaValue<'Trip'>

export const atDepot = {
  id: 48211,
  ...ofTheVan,
  start_time: '2026-11-20T09:12:45.000Z',
  end_time: toHarbour.start_time,
  latitude: depot.latitude,
  longitude: depot.longitude,
  address: 'Kennedy Cd. 2, Fatih',
  duration: 1705,
  idle_time: 60,
  positions: 29,
  longest_gap: 65,
  geofence_ids: [],
  site_ids: [depot.id],
  ...revised,
} satisfies SchemaValue<'Stop'>

export const inDepot = {
  id: 48210,
  ...ofTheVan,
  place_type: 'site',
  place_id: depot.id,
  place_name: depot.name,
  start_time: '2026-11-20T09:12:05.000Z',
  end_time: '2026-11-20T09:42:10.000Z',
  before_time: '2026-11-20T09:11:55.000Z',
  after_time: '2026-11-20T09:42:20.000Z',
  duration: 1805,
  distance: 0.4,
  positions: 39,
  ...revised,
} satisfies SchemaValue<'Visit'>

export const vanOnFriday = {
  ...ofTheVan,
  date: '2026-11-20',
  distance: 184.27,
  trips: 6,
  moving_time: 14820,
  idle_time: 2130,
  stopped_time: 69450,
  first_time: '2026-11-19T21:00:00.000Z',
  last_time: '2026-11-20T20:59:30.000Z',
  max_speed: 88.3,
  start_odometer: 128402.1,
  end_odometer: 128586.37,
  start_engine_hours: 4308.021,
  end_engine_hours: 4312.73,
  positions: 1482,
} satisfies SchemaValue<'Day'>

export const friday = {
  ...ofTheVan,
  date: '2026-11-20',
  positions: 1482,
  first_time: '2026-11-20T05:12:10.000Z',
  last_time: '2026-11-20T20:59:30.000Z',
  longest_gap: 1740,
  late: 12,
  worst_lateness: 5400,
  rejected: { hdop_above_maximum: 3 },
  changed_at: '2026-11-20T20:59:31.250Z',
  digest: '5c0d1e7f9a6b3c2d4e8f00112233445566778899aabbccddeeff0123456789ab',
  counters_digest: '0f1e2d3c4b5a69788796a5b4c3d2e1f00112233445566778899aabbccddeeff0',
} satisfies SchemaValue<'Coverage'>

export const onTheWay = {
  route_id: harbourToDepot.id,
  ...ofTheVan,
  deviation: harbourToDepot.deviation,
  distance: 7.31,
  share_inside: 0.9312,
  deviations: [
    {
      start_time: '2026-11-20T09:44:20.000Z',
      end_time: '2026-11-20T09:46:10.000Z',
      greatest_distance: 412.7,
    },
  ],
  waypoints: [
    { order: 1, nearest_distance: 18.4, time: toHarbour.start_time, visited_in_order: true },
    { order: 2, nearest_distance: 6.02, time: toHarbour.end_time, visited_in_order: true },
  ],
} satisfies SchemaValue<'Adherence'>
