import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { importing } from '../../../../testing/imports.ts'
import { isFault } from '../row.ts'
import { notationOf } from './find-notation.ts'
import type { NotationPart } from './notation.ts'

const { previewPositions, previewCatalogue } = importing()

type Layout = {
  /** The program, and where its layout is described. */
  program: string
  text: string | Buffer
  options?: { map?: string; ident?: string; speedUnit?: 'mps'; timezone?: string }
  notation?: Partial<Record<NotationPart, string>>
  /** The first row. */
  reads: Record<string, unknown>
  format?: 'ndjson'
}

/** Layouts of exports, written from their public descriptions. docs/importing.md names them. */
const LAYOUTS: Layout[] = [
  {
    program: 'GPSLogger for Android',
    text: 'time,lat,lon,elevation,accuracy,bearing,speed,satellites,provider,hdop,vdop,pdop,geoidheight,ageofdgpsdata,dgpsid,activity,battery,annotation\n2025-09-14T11:32:34.999Z,43.8022,11.2003,90.5,4.0,89.9,10.0,15,gps,0.9,1.5,1.8,46.8,,,,62,\n',
    options: { ident: 'phone' },
    reads: { time_device: '2025-09-14T11:32:34.999Z', speed: 36, altitude: 90.5, accuracy: 4 },
  },
  {
    program: 'Traccar, its table of positions',
    text: 'ID,PROTOCOL,DEVICEID,SERVERTIME,DEVICETIME,FIXTIME,VALID,LATITUDE,LONGITUDE,ALTITUDE,SPEED,COURSE,ADDRESS,ATTRIBUTES,ACCURACY,NETWORK,GEOFENCEIDS\n8,teltonika,3,2025-02-14 23:04:12.695000,2025-02-14 22:52:11.000000,2025-02-14 22:52:10.000000,true,64.3,41.07,42.1,10,283,,"{""sat"":18}",0,null,null\n',
    options: { ident: '868' },
    reads: { ident: '868', time_device: '2025-02-14T22:52:10.000Z', speed: 18.52, angle: 283 },
  },
  {
    program: 'Columbus V-900',
    text: 'INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED,HEADING,VOX\r\n1\0\0\0\0\0,T,251201,000001,30.5S,120.25W,8\0\0,36\0\0,80\0,\0\0\0\0\r\n',
    options: { ident: 'V900' },
    notation: { dates: 'YMD' },
    reads: {
      ...{ time_device: '2025-12-01T00:00:01.000Z', latitude: -30.5, longitude: -120.25 },
      ...{ altitude: 8, speed: 36, angle: 80 },
    },
  },
  {
    program: 'Qstarz and i-Blue loggers',
    text: 'INDEX,RCR,DATE,TIME,VALID,LATITUDE,N/S,LONGITUDE,E/W,HEIGHT,SPEED,HEADING,DISTANCE,\n3656,T,2025/12/09,10:59:05,SPS,28.649061,N,17.896196,W,513.863 M,15.862 km/h,178.24,34.60 M,\n',
    options: { ident: 'Q1000' },
    reads: {
      ...{ time_device: '2025-12-09T10:59:05.000Z', latitude: 28.649061 },
      ...{ longitude: -17.896196, altitude: 513.863, speed: 15.862 },
    },
  },
  {
    program: 'Torque Pro',
    text: 'GPS Time, Device Time, Longitude, Latitude,GPS Speed (Meters/second), Horizontal Dilution of Precision, Altitude, Bearing\nSun Oct 05 14:22:01 GMT+02:00 2025,05-Oct-2025 14:22:01.100,-118.1,34.2,10,0.9,500,36\n',
    options: { ident: 'car', map: 'time_device=Device Time', timezone: 'Europe/Berlin' },
    reads: { time_device: '2025-10-05T12:22:01.100Z', speed: 36, hdop: 0.9, longitude: -118.1 },
  },
  {
    program: 'GPSBabel, unicsv',
    text: 'No,Latitude,Longitude,Name,Altitude,Speed,Course,Date,Time\n1,35.972033,-87.1347,TP1,120.5,10,90,2025/06/29,09:00:00\n',
    options: { map: 'ident=Name', speedUnit: 'mps' },
    reads: { ident: 'TP1', time_device: '2025-06-29T09:00:00.000Z', speed: 36, angle: 90 },
  },
  {
    program: 'HERE, traces for route matching',
    text: 'device,latitude,longitude,timestamp,speed_kmh,heading\nT1,48.03,-4.3,16/05/2025 18:31:37,50,120\n',
    reads: { ident: 'T1', time_device: '2025-05-16T18:31:37.000Z', speed: 50, angle: 120 },
  },
  {
    program: 'Sony cameras and viewers, time and date apart',
    text: 'time;date;latitude;longitude\n15:10:00;2025-05-24;-24.1457549;-49.827651299972224\n',
    options: { ident: 'camera' },
    reads: { time_device: '2025-05-24T15:10:00.000Z', latitude: -24.1457549 },
  },
  {
    program: 'Navixy, raw data',
    text: 'tracker_id,msg_time,server_time,lat,lng,alt,speed,heading,satellites,hdop\n862,2025-02-09 07:35:06,2025-02-09 07:35:08,40.4,-3.7,650,42,180,11,0.8\n',
    reads: { ident: '862', time_device: '2025-02-09T07:35:06.000Z', speed: 42, gps_level: 11 },
  },
  {
    program: 'Geotab, records of the log',
    text: 'Device Id,DateTime,Latitude,Longitude,Speed\nb12,2025-03-04T10:11:12.337Z,43.45,-79.68,61\n',
    reads: { ident: 'b12', time_device: '2025-03-04T10:11:12.337Z', speed: 61 },
  },
  {
    program: 'Samsara, dates of American tables',
    text: 'Vehicle,Time,Latitude,Longitude,Speed (mph),Heading,Address\nTruck 7,1/25/2025 8:40,37.77,-122.41,10,90,"Market St, San Francisco"\n',
    options: { timezone: 'America/Los_Angeles' },
    reads: { ident: 'Truck 7', time_device: '2025-01-25T16:40:00.000Z', speed: 16.09344 },
  },
  {
    program: 'Verizon Connect, report of a day',
    text: 'Vehicle Name,Date,Time,Latitude,Longitude,"Speed, mph",Ignition\nVan 3,11/20/2025,8:05 PM,33.4,-112.0,10,on\n',
    reads: {
      ident: 'Van 3',
      time_device: '2025-11-20T20:05:00.000Z',
      speed: 16.09344,
      ignition: true,
    },
  },
  {
    program: 'Excel in German',
    text: 'Fahrzeug;Datum;Uhrzeit;Breitengrad;Längengrad;Geschwindigkeit (km/h);Kilometerstand;Zündung\nM-AB 12;20.11.2025;08:00;48,1371;11,5754;35,5;12.345,6;1\n',
    reads: {
      ident: 'M-AB 12',
      time_device: '2025-11-20T08:00:00.000Z',
      latitude: 48.1371,
      odometer: 12_345.6,
      ignition: true,
    },
  },
  {
    program: 'Excel in French, windows-1252',
    text: Buffer.from(
      'Véhicule;Date et heure;Latitude;Longitude;Vitesse (km/h);Kilométrage\nAB-123-CD;20/11/2025 08:00;48,8566;2,3522;35,5;12\xa0345,6\n',
      'latin1',
    ),
    notation: { encoding: 'windows-1252' },
    reads: { ident: 'AB-123-CD', time_device: '2025-11-20T08:00:00.000Z', odometer: 12_345.6 },
  },
  {
    program: 'Excel, Unicode text',
    text: Buffer.from(
      '\ufeffVoertuig\tDatum/tijd\tBreedtegraad\tLengtegraad\tSnelheid\r\nA1\t20-11-2025 8:00\t52,1\t5,1\t50\r\n',
      'utf16le',
    ),
    reads: { ident: 'A1', time_device: '2025-11-20T08:00:00.000Z', latitude: 52.1, speed: 50 },
  },
  {
    program: 'A table in Polish',
    text: 'Pojazd;Data;Godzina;Szerokość geograficzna;Długość geograficzna;Prędkość\nWX 1;2025-11-20;08:00:00;52,23;21,01;50\n',
    reads: { ident: 'WX 1', time_device: '2025-11-20T08:00:00.000Z', longitude: 21.01 },
  },
]

/** Layouts of programs whose tables do not say everything themselves, with their public descriptions or exporters. */
const KNOWN: (Layout & { described: string })[] = [
  {
    program: 'Movebank',
    described: 'https://www.movebank.org/cms/movebank-content/movebank-attribute-dictionary',
    text: 'event-id,visible,timestamp,location-long,location-lat,ground-speed,heading,height-above-msl,sensor-type,individual-taxon-canonical-name,tag-local-identifier,individual-local-identifier,study-name\n1,true,2025-11-27 08:00:00.000,13.4,52.5,1.5,90,31.2,gps,Vulpes vulpes,T7,Fox 1,Foxes\n',
    reads: {
      ...{ ident: 'Fox 1', time_device: '2025-11-27T08:00:00.000Z', latitude: 52.5 },
      ...{ speed: 5.4, angle: 90, altitude: 31.2 },
    },
  },
  {
    program: 'AIS of the Danish Maritime Authority',
    described: 'http://aisdata.ais.dk/!_README_information_CSV_files.txt',
    text: '# Timestamp,Type of mobile,MMSI,Latitude,Longitude,Navigational status,ROT,SOG,COG,Heading,IMO,Callsign,Name,Ship type,Cargo type,Width,Length,Type of position fixing device,Draught,Destination,ETA,Data source type,A,B,C,D\n01/06/2025 00:00:05,Class A,219000002,55.7,12.6,Under way using engine,0.0,10.0,102.3,100,Unknown,Unknown,Unknown,Undefined,,,,GPS,,Unknown,,AIS,,,,\n',
    reads: {
      ...{ ident: '219000002', time_device: '2025-06-01T00:00:05.000Z', longitude: 12.6 },
      ...{ speed: 18.52, angle: 102.3 },
    },
  },
  {
    program: 'AIS of MarineCadastre',
    described: 'https://coast.noaa.gov/data/marinecadastre/ais/data-dictionary.pdf',
    text: 'MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName,IMO,CallSign,VesselType,Status,Length,Width,Draft,Cargo,TransceiverClass\n338075892,2025-01-01T00:00:02,43.65,-70.25,10.0,358.8,511,QUEEN,,WDF,31,0,20,6,,31,B\n',
    reads: {
      ...{ ident: '338075892', time_device: '2025-01-01T00:00:02.000Z', latitude: 43.65 },
      ...{ speed: 18.52, angle: 358.8 },
    },
  },
  {
    program: 'OpenSky Network, state vectors',
    described: 'https://opensky-network.org/datasets/states/README.txt',
    text: 'time,icao24,lat,lon,velocity,heading,vertrate,callsign,onground,alert,spi,squawk,baroaltitude,geoaltitude,lastposupdate,lastcontact\n1572912000,39c902,43.29,5.4,200,296.5,5.85,SAMU13,False,False,False,,1000,1121.92,1572911999.7,1572911999.8\n',
    reads: {
      ...{ ident: '39c902', time_device: '2019-11-05T00:00:00.000Z', speed: 720, angle: 296.5 },
      altitude: 1121.92,
    },
  },
  {
    program: 'AirData UAV',
    described: 'https://app.airdata.com/wiki/Help/Downloadable+Flight+Data+CSV',
    text: 'time(millisecond),datetime(utc),latitude,longitude,height_above_takeoff(feet),height_above_ground_at_drone_location(feet),ground_elevation_at_drone_location(feet),altitude_above_seaLevel(feet),height_sonar(feet),speed(mph),distance(feet),mileage(feet),satellites,gpslevel,voltage(v), compass_heading(degrees)\n100,2025-06-01 08:00:00,28.5,77.2,10,10,700,1000,0,10,0,0,17,5,15.2,90\n',
    options: { ident: 'drone' },
    reads: {
      ...{ time_device: '2025-06-01T08:00:00.000Z', altitude: 304.8, speed: 16.09344 },
      ...{ angle: 90, gps_level: 17 },
    },
  },
  {
    program: 'Sensor Logger',
    described: 'https://github.com/tszheichoi/awesome-sensor-logger',
    text: 'time,seconds_elapsed,bearingAccuracy,speedAccuracy,verticalAccuracy,horizontalAccuracy,speed,bearing,altitude,longitude,latitude\n1698501144401819000,0.04,2.1,0.5,3.2,4.5,10,90,35.5,13.4,52.5\n',
    options: { ident: 'phone' },
    reads: {
      ...{ time_device: '2023-10-28T13:52:24.401Z', latitude: 52.5, speed: 36, angle: 90 },
      accuracy: 4.5,
    },
  },
  {
    program: 'GPS Logger of BasicAirData',
    described: 'https://github.com/BasicAirData/GPSLogger',
    text: 'type,date time,latitude,longitude,accuracy(m),altitude(m),geoid_height(m),speed(m/s),bearing(deg),sat_used,sat_inview,name,desc\nT,2025-06-28 09:38:16,47.85001085,-4.208001633,1.18,72.517,,10,352,19,29,20250628-113816,GPS Logger: 20250628-113816\n',
    options: { ident: 'phone' },
    reads: {
      ...{ time_device: '2025-06-28T09:38:16.000Z', accuracy: 1.18, altitude: 72.517 },
      ...{ speed: 36, angle: 352, gps_level: 19 },
    },
  },
  {
    program: 'gopro-telemetry',
    described: 'https://github.com/JuanIrache/gopro-telemetry',
    text: '"cts","date","GPS (Lat.) [deg]","GPS (Long.) [deg]","GPS (Alt.) [m]","GPS (2D speed) [m/s]","GPS (3D speed) [m/s]","fix","precision","altitude system"\n0,2020-08-02T11:59:05.905Z,28.7015115,-13.9204121,243.304,10,11,3,107,MSLV\n',
    options: { ident: 'camera' },
    reads: {
      ...{ time_device: '2020-08-02T11:59:05.905Z', latitude: 28.7015115, altitude: 243.304 },
      speed: 36,
    },
  },
  {
    program: 'SensorLog for iOS',
    described: 'https://sensorlog.berndthomas.net',
    text: 'loggingTime(txt),loggingSample(N),locationTimestamp_since1970(s),locationLatitude(WGS84),locationLongitude(WGS84),locationAltitude(m),locationSpeed(m/s),locationSpeedAccuracy(m/s),locationCourse(°),locationCourseAccuracy(°),locationVerticalAccuracy(m),locationHorizontalAccuracy(m),locationFloor(Z)\n2025-06-07T17:36:58.773+02:00,1,1749310618.773,48.1,11.5,520.5,10,0.5,271,2,3,4.7,-9999\n',
    options: { ident: 'phone' },
    reads: {
      ...{ time_device: '2025-06-07T15:36:58.773Z', latitude: 48.1, altitude: 520.5 },
      ...{ speed: 36, angle: 271, accuracy: 4.7 },
    },
  },
  {
    program: 'Grab-Posisi',
    described: 'https://dl.acm.org/doi/10.1145/3356995.3364536',
    text: 'trj_id,driving_mode,osname,pingtimestamp,rawlat,rawlng,speed,bearing,accuracy\n70014,car,android,1554943236,1.342,103.83,10,248,3.9\n',
    reads: {
      ...{ ident: '70014', time_device: '2019-04-11T00:40:36.000Z', longitude: 103.83 },
      ...{ speed: 36, angle: 248, accuracy: 3.9 },
    },
  },
  {
    program: 'MTA Bus Time, historical data',
    described: 'http://web.mta.info/developers/MTA-Bus-Time-historical-data.html',
    text: 'latitude\tlongitude\ttime_received\tvehicle_id\tdistance_along_trip\tinferred_direction_id\tinferred_phase\tinferred_route_id\tinferred_trip_id\tnext_scheduled_stop_distance\tnext_scheduled_stop_id\n40.646265\t-74.018604\t2014-08-01 04:00:01\t469\t4135.34\t0\tIN_PROGRESS\tMTA NYCT_B37\tMTA NYCT_JG\t3.98\tMTA_305423\n',
    options: { timezone: 'UTC' },
    reads: { ident: '469', time_device: '2014-08-01T04:00:01.000Z', latitude: 40.646265 },
  },
  {
    program: 'flespi, messages in CSV',
    described: 'https://flespi.io/docs/#/gw/devices/get_devices_dev_selector_messages',
    text: 'ident,timestamp,server.timestamp,position.latitude,position.longitude,position.altitude,position.speed,position.direction,position.satellites,position.hdop,position.valid,engine.ignition.status,vehicle.mileage\n352625333222111,1763632740.5,1763632741.1,52.5,13.4,31,42,90,11,0.8,true,true,83795.98\n',
    reads: {
      ...{ ident: '352625333222111', time_device: '2025-11-20T09:59:00.500Z', speed: 42 },
      ...{ angle: 90, altitude: 31, gps_level: 11, hdop: 0.8, ignition: true, odometer: 83795.98 },
    },
  },
  {
    program: 'flespi, messages in NDJSON',
    described: 'https://flespi.io/docs/#/gw/devices/get_devices_dev_selector_messages',
    format: 'ndjson',
    text: '{"ident":"352625333222111","timestamp":1763632740,"position.latitude":52.5,"position.longitude":13.4,"position.speed":42,"position.valid":true}\n',
    reads: { ident: '352625333222111', latitude: 52.5, speed: 42 },
  },
]

/** Layouts that no import can read, with their public descriptions, and the name by which the message calls them. */
const REFUSED: { described: string; text: string; says: RegExp }[] = [
  {
    described: 'https://github.com/till213/SkyDolly',
    text: 'Timestamp,UTC,Callsign,Position,Altitude,Speed,Direction\n1588686878,2020-05-05T13:54:38Z,DESAE,"48.865311,9.221543",850,0,117\n',
    says: /is a flight of Flightradar24, .* column Position; split it/,
  },
  {
    described: 'https://github.com/phyphox/phyphox-experiments',
    text: '"Time (s)","Latitude (°)","Longitude (°)","Height (m)","Velocity (m/s)","Direction (°)","Horizontal Accuracy (m)","Vertical Accuracy (m)"\n0.5,52.5,13.4,30,10,90,5,3\n',
    says: /is a recording of phyphox, whose times are seconds since its start; add a column/,
  },
  {
    described: 'https://github.com/gsoh/VED',
    text: 'DayNum,VehId,Trip,Timestamp(ms),Latitude[deg],Longitude[deg],Vehicle Speed[km/h],MAF[g/sec],Engine RPM[RPM]\n1.587,8,706,0,42.277,-83.69,46.1,6.7,1500\n',
    says: /is a part of the Vehicle Energy Dataset, .* add a column/,
  },
  {
    described:
      'https://www.microsoft.com/en-us/research/publication/geolife-gps-trajectory-dataset-user-guide/',
    text: 'Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track,0,0,2,8421376\n0\n39.984702,116.318417,0,492,39744.12,2008-10-23,02:53:04\n',
    says: /is a trajectory of GeoLife, .* put a line of headings in place/,
  },
]

const words = (given: Layout['notation'] = {}) => notationOf((part) => given[part] ?? null)

describe('An export of a program', () => {
  for (const { program, text, options, notation, reads, format } of [...LAYOUTS, ...KNOWN]) {
    it(`is read: ${program}`, async () => {
      const { rows, problem } = await previewPositions(text, {
        ...{ ...options, format: format ?? 'csv' },
        notation: words(notation),
      })
      assert.equal(problem, null)
      const { read } = rows[0]!
      assert.ok(!isFault(read), JSON.stringify(read))
      assert.deepEqual(
        Object.fromEntries(Object.keys(reads).map((name) => [name, read[name]])),
        reads,
      )
    })
  }

  for (const { text, says, described } of REFUSED) {
    it(`is refused by its name: ${described}`, async () => {
      const { problem, rows } = await previewPositions(text, { ident: 'unit' })
      assert.match(problem ?? 'none', says)
      assert.deepEqual(rows, [])
    })
  }

  it('names no column as unread that its program has in addition', async () => {
    for (const { program, text, options, format } of KNOWN) {
      const { notes } = await previewPositions(text, { ...options, format: format ?? 'csv' })
      assert.deepEqual(notes, [], program)
    }
  })

  it('asks where a program leaves something open', async () => {
    const asked = async (text: string | Buffer, ident?: string) =>
      (await previewPositions(text, ident === undefined ? {} : { ident })).problem
    const [, traccar, columbus, , torque] = LAYOUTS as [Layout, Layout, Layout, Layout, Layout]
    assert.match((await asked(traccar.text))!, /its deviceId is a number of Traccar/)
    assert.match((await asked(columbus.text, 'V900'))!, /--dates DMY: .*--dates YMD: /)
    assert.match(
      (await asked(torque.text, 'car'))!,
      /several columns for time_device: Device Time, GPS/,
    )
    const french = LAYOUTS.find(({ program }) => program.includes('French'))!
    assert.match((await asked(french.text))!, /--encoding windows-1252: Véhicule;/)
  })

  it('is no list of objects, and names the import that takes it', async () => {
    for (const { program, text, notation } of LAYOUTS) {
      const { problem } = await previewCatalogue('objects', text, { notation: words(notation) })
      // A table with names, places and times may be one of sites.
      const expected = program.startsWith('GPSBabel') ? /no column for ident/ : /'import positions'/
      assert.match(problem ?? 'none', expected, program)
    }
  })

  it('is read as a list of objects: 360locate', async () => {
    const { rows, columns } = await previewCatalogue(
      'objects',
      'imei;sim;msisdn\n350317170431234;8931;3162\n',
    )
    assert.deepEqual(rows[0]!.read, { ident: '350317170431234', name: '350317170431234' })
    assert.deepEqual(columns.ignored, ['sim', 'msisdn'])
  })
})
