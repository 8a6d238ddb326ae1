import type { DateOrder } from './notation.ts'

/** Facts about the table of a program that its headings do not say. Headings are in small letters. */
export type Program = {
  /** Headings that only this program writes together. */
  headings: readonly string[]
  /** By field: the unit of its numbers, where headings do not name it. */
  units?: Readonly<Record<string, string>>
  /** By field: the heading that fills it, if several may. */
  columns?: Readonly<Record<string, string>>
  /** Headings that look like those of fields, and fill no field. */
  unused?: readonly string[]
  /** Why the table has no ident, if one of its columns looks like it: a clause. */
  identless?: string
  /** The order of its dates. */
  dates?: DateOrder
  /** The name of a table that no import can read, why, and the advice: the end of a sentence. */
  refused?: string
}

const PROGRAMS: readonly Program[] = [
  // GPSLogger for Android.
  {
    headings: ['elevation', 'bearing', 'speed', 'provider', 'geoidheight'],
    units: { speed: 'mps' },
  },
  // The positions of a Traccar server, by its API or from its database. Its totalDistance is computed.
  {
    headings: ['deviceid', 'fixtime', 'valid', 'latitude', 'longitude', 'speed'],
    units: { speed: 'knots', odometer: 'm', engine_hours: 'ms' },
    columns: { time_device: 'fixtime', engine_hours: 'hours' },
    unused: ['deviceid', 'devicetime', 'totaldistance', 'distance'],
    identless: 'its deviceId is a number of Traccar, and not the ident of the device',
  },
  // Movebank. Its times are in UTC.
  {
    headings: ['individual-local-identifier', 'location-lat', 'location-long', 'timestamp'],
    units: { speed: 'mps', time_device: 'UTC' },
    columns: {
      ...{ ident: 'individual-local-identifier', time_device: 'timestamp' },
      ...{ latitude: 'location-lat', longitude: 'location-long' },
      ...{ speed: 'ground-speed', altitude: 'height-above-msl' },
    },
  },
  // AIS of the Danish Maritime Authority, and of MarineCadastre.
  {
    headings: ['# timestamp', 'mmsi', 'latitude', 'longitude', 'sog', 'cog'],
    units: { speed: 'knots', time_device: 'UTC' },
    columns: { ident: 'mmsi', time_device: '# timestamp', speed: 'sog', angle: 'cog' },
    unused: ['heading'],
    dates: 'DMY',
  },
  {
    headings: ['mmsi', 'basedatetime', 'lat', 'lon', 'sog', 'cog'],
    units: { speed: 'knots', time_device: 'UTC' },
    columns: { ident: 'mmsi', time_device: 'basedatetime', speed: 'sog', angle: 'cog' },
    unused: ['heading'],
  },
  // State vectors of the OpenSky Network.
  {
    headings: ['time', 'icao24', 'lat', 'lon', 'velocity', 'geoaltitude', 'lastposupdate'],
    units: { speed: 'mps' },
    columns: { ident: 'icao24', time_device: 'time', altitude: 'geoaltitude' },
  },
  // AirData UAV. Its altitude is in the unit of the heading, and there are two of them.
  {
    headings: ['time(millisecond)', 'datetime(utc)', 'height_above_takeoff(feet)'],
    columns: {
      ...{ altitude: 'altitude_above_sealevel(feet)', angle: 'compass_heading(degrees)' },
      ...{ time_device: 'datetime(utc)', gps_level: 'satellites' },
    },
  },
  // Sensor Logger.
  {
    headings: ['seconds_elapsed', 'horizontalaccuracy', 'speedaccuracy', 'speed'],
    units: { speed: 'mps' },
  },
  // GPS Logger of BasicAirData.
  {
    headings: ['type', 'date time', 'accuracy(m)', 'sat_used', 'sat_inview'],
    columns: { gps_level: 'sat_used' },
  },
  // gopro-telemetry.
  {
    headings: ['cts', 'date', 'gps (lat.) [deg]', 'gps (long.) [deg]'],
    columns: {
      ...{ time_device: 'date', latitude: 'gps (lat.) [deg]', longitude: 'gps (long.) [deg]' },
      ...{ altitude: 'gps (alt.) [m]', speed: 'gps (2d speed) [m/s]', valid: 'fix' },
    },
  },
  // SensorLog of iOS.
  {
    headings: ['locationtimestamp_since1970(s)', 'locationlatitude(wgs84)'],
    columns: {
      ...{ time_device: 'locationtimestamp_since1970(s)', speed: 'locationspeed(m/s)' },
      ...{ latitude: 'locationlatitude(wgs84)', longitude: 'locationlongitude(wgs84)' },
      ...{ altitude: 'locationaltitude(m)', angle: 'locationcourse(°)' },
      accuracy: 'locationhorizontalaccuracy(m)',
    },
  },
  // Grab-Posisi.
  {
    headings: ['trj_id', 'pingtimestamp', 'rawlat', 'rawlng', 'speed'],
    units: { speed: 'mps' },
    columns: {
      ...{ ident: 'trj_id', time_device: 'pingtimestamp' },
      ...{ latitude: 'rawlat', longitude: 'rawlng' },
    },
  },
  // Bus Time of the MTA in New York.
  {
    headings: ['time_received', 'vehicle_id', 'distance_along_trip', 'inferred_phase'],
    columns: { time_device: 'time_received' },
  },
  // Messages of flespi, in CSV and NDJSON.
  {
    headings: ['ident', 'timestamp', 'position.latitude', 'position.longitude'],
    columns: {
      ...{ latitude: 'position.latitude', longitude: 'position.longitude' },
      ...{ altitude: 'position.altitude', speed: 'position.speed', angle: 'position.direction' },
      ...{ gps_level: 'position.satellites', hdop: 'position.hdop', valid: 'position.valid' },
      ...{ time_server: 'server.timestamp', ignition: 'engine.ignition.status' },
      ...{ odometer: 'vehicle.mileage', engine_hours: 'engine.motorhours' },
    },
  },
  {
    headings: ['timestamp', 'utc', 'callsign', 'position', 'altitude', 'direction'],
    refused:
      'a flight of Flightradar24, with both coordinates in its column Position; split it into latitude and longitude',
  },
  {
    headings: ['time (s)', 'latitude (°)', 'longitude (°)', 'velocity (m/s)'],
    refused:
      'a recording of phyphox, whose times are seconds since its start; add a column with the moment of each row',
  },
  {
    headings: ['daynum', 'vehid', 'timestamp(ms)'],
    refused:
      'a part of the Vehicle Energy Dataset, whose times are milliseconds of a trip; add a column with the moment of each row',
  },
  {
    headings: ['geolife trajectory'],
    refused:
      'a trajectory of GeoLife, whose columns have no headings; put a line of headings in place of its first six lines',
  },
]

/** The program that wrote a table with these headings. */
export function programOf(headings: readonly string[]): Program | undefined {
  const names = new Set(headings.map((each) => each.trim().toLowerCase()))
  return PROGRAMS.find((each) => each.headings.every((name) => names.has(name)))
}
