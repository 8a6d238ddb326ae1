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
}

/** Layouts of exports, written from their public descriptions. docs/importing.md has the table of them. */
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

const words = (given: Layout['notation'] = {}) => notationOf((part) => given[part] ?? null)

describe('An export of a program', () => {
  for (const { program, text, options, notation, reads } of LAYOUTS) {
    it(`is read: ${program}`, async () => {
      const { rows, problem } = await previewPositions(text, {
        ...options,
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
