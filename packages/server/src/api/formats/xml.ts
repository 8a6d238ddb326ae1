import { FIELDS } from '../../domain/position/fields.ts'
import { FIX_FLAG, FIX_RECORD } from '../../domain/position/fix-record.ts'
import { writeBytes, writeDecimal, writeInstant } from '../encode/numbers.ts'
import {
  type Columns,
  type FieldText,
  namesOf,
  type ObjectTrack,
  type PositionForm,
} from './position-form.ts'

const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
const GPX_HEAD = `${XML_DECLARATION}<gpx version="1.1" creator="Fleetgate" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n`

/** Millionths of a km/h in a hundredth of a metre per second. */
const MICROS_PER_CM_PER_SECOND = 36_000

const GPX_POSITION: readonly FieldText[] = [
  { name: 'latitude', before: ' lat="', after: '"', none: '' },
  { name: 'longitude', before: ' lon="', after: '">', none: '' },
  gpxElement('altitude', 'ele'),
  gpxElement('time_device', 'time'),
]

const GPX_DETAILS: readonly (FieldText | string)[] = [
  gpxElement('address', 'desc'),
  '<extensions><gpxtpx:TrackPointExtension>',
  { ...gpxElement('speed', 'gpxtpx:speed'), hundredth: MICROS_PER_CM_PER_SECOND },
  gpxElement('angle', 'gpxtpx:course'),
  '</gpxtpx:TrackPointExtension></extensions>',
]

const AROUND_GPX = {
  head: GPX_HEAD,
  tail: '</gpx>\n',
  between: '',
  hasUnseen: false,
  text: xmlText,
  writeText: writeXmlText,
}

/** GPX 1.1: a track for each object. Speed and course are Garmin's extension. */
export const GPX_TRACKS: PositionForm = {
  ...AROUND_GPX,
  openObject: (name) => `<trk><name>${xmlText(name)}</name><trkseg>\n`,
  closeObject: '</trkseg></trk>\n',
  fields: ['<trkpt', ...GPX_POSITION, ...GPX_DETAILS, '</trkpt>\n'],
}

/** GPX 1.1: a waypoint for each object, at its one position. */
export const GPX_POINTS: PositionForm = {
  ...AROUND_GPX,
  openObject: () => '',
  closeObject: '',
  fields: ['<wpt', ...GPX_POSITION, gpxElement('name', 'name'), ...GPX_DETAILS, '</wpt>\n'],
}

function gpxElement(name: FieldText['name'], tag: string): FieldText {
  return { name, before: `<${tag}>`, after: `</${tag}>`, none: '' }
}

/** KML 2.2: a placemark for each position. Tracks have a folder for each object, which ends with its track. */
export function kmlPositions(columns: Columns, layout: 'tracks' | 'points'): PositionForm {
  const isTrack = layout === 'tracks'
  const data = namesOf(columns).filter((name) => !IN_PLACEMARK.includes(name))
  return {
    head: `${XML_DECLARATION}<kml xmlns="http://www.opengis.net/kml/2.2"${isTrack ? GOOGLE_EXTENSION : ''}><Document>\n`,
    tail: '</Document></kml>\n',
    openObject: (name) => (isTrack ? `<Folder><name>${xmlText(name)}</name>\n` : ''),
    closeObject: isTrack ? '</Folder>\n' : '',
    ...(isTrack && { trackOf: (name: string) => kmlTrack(name) }),
    between: '',
    fields: [
      '<Placemark>',
      kmlElement('name', '<name>', '</name>'),
      kmlElement('time_device', '<TimeStamp><when>', '</when></TimeStamp>'),
      '<ExtendedData>',
      ...data.map((name) => kmlElement(name, `<Data name="${name}"><value>`, '</value></Data>')),
      '</ExtendedData>',
      kmlElement('longitude', '<Point><coordinates>', ','),
      kmlElement('latitude', '', '</coordinates></Point>'),
      '</Placemark>\n',
    ],
    hasUnseen: false,
    text: xmlText,
    writeText: writeXmlText,
  }
}

const GOOGLE_EXTENSION = ' xmlns:gx="http://www.google.com/kml/ext/2.2"'
const IN_PLACEMARK: readonly FieldText['name'][] = ['name', 'latitude', 'longitude']

function kmlElement(name: FieldText['name'], before: string, after: string): FieldText {
  return { name, before, after, none: '' }
}

/** Positions of a track at most, in 3 MB. A history has at most as many rows by default. */
const TRACK_POSITIONS = 100_000
const FIRST_POSITIONS = 256
/** Positions of a piece of text: about 1 ms of work. */
const PIECE_POSITIONS = 2_000

/** The part of a record that a track needs: from the flags to the altitude. */
const KEPT = { from: FIX_RECORD.flags, to: FIX_RECORD.altitude + 4 }
const KEPT_BYTES = KEPT.to - KEPT.from

const WHEN = [Buffer.from('<when>'), Buffer.from('</when>\n')] as const
const COORD = [Buffer.from('<gx:coord>'), Buffer.from('</gx:coord>\n')] as const
const SEPARATOR = Buffer.from(' ')
/** A coordinate has three numbers of at most 13 characters. */
const LINE_BYTES = 64
const END = Buffer.from('</gx:Track></Placemark>\n')

/** Writes the line of a position, whose kept part begins at `from`, to `out` at `to`. Returns the end. */
type WriteLine = (out: Buffer, to: number, kept: Buffer, from: number) => number

/**
 * Tracks of Google's extension, of at most `most` positions. All times precede all coordinates, or Google Earth shows
 * nothing. So a track follows its positions, which are kept until then.
 */
export function kmlTrack(name: string, most = TRACK_POSITIONS): ObjectTrack {
  const opening = Buffer.from(`<Placemark><name>${xmlText(name)}</name><gx:Track>\n`)
  let kept = Buffer.alloc(0)
  let positions = 0

  function keep(records: Uint8Array, at: number): void {
    const to = positions * KEPT_BYTES
    if (to === kept.length) {
      const wider = Buffer.allocUnsafeSlow(Math.max(FIRST_POSITIONS * KEPT_BYTES, to * 2))
      kept.copy(wider)
      kept = wider
    }
    for (let i = 0; i < KEPT_BYTES; i += 1) kept[to + i] = records[at + KEPT.from + i]!
    positions += 1
  }

  function* track(): Generator<Buffer> {
    if (positions === 0) return
    yield opening
    yield* lines(writeWhen)
    yield* lines(writeCoord)
    yield END
    positions = 0
  }

  function* lines(write: WriteLine): Generator<Buffer> {
    for (let first = 0; first < positions; first += PIECE_POSITIONS) {
      const last = Math.min(first + PIECE_POSITIONS, positions)
      const out = Buffer.allocUnsafe((last - first) * LINE_BYTES)
      let to = 0
      for (let i = first; i < last; i += 1) to = write(out, to, kept, i * KEPT_BYTES - KEPT.from)
      yield out.subarray(0, to)
    }
  }

  return {
    *add(records) {
      for (let at = 0; at < records.length; ) {
        if (positions === most) yield* track()
        keep(records, at)
        at += records[at + FIX_RECORD.length]! + records[at + FIX_RECORD.length + 1]! * 0x100
      }
    },
    end: track,
  }
}

function writeWhen(out: Buffer, to: number, kept: Buffer, from: number): number {
  const end = writeInstant(
    out,
    writeBytes(out, to, WHEN[0]),
    kept.readUIntLE(from + FIX_RECORD.timeDevice, 6),
  )
  return writeBytes(out, end, WHEN[1])
}

function writeCoord(out: Buffer, to: number, kept: Buffer, from: number): number {
  const { longitude, latitude, altitude } = FIELDS
  const integer = (at: number) => kept.readInt32LE(from + at)
  let end = writeBytes(out, to, COORD[0])
  end = writeDecimal(out, end, integer(FIX_RECORD.longitude), longitude.decimals)
  end = writeBytes(out, end, SEPARATOR)
  end = writeDecimal(out, end, integer(FIX_RECORD.latitude), latitude.decimals)
  if ((kept.readUInt16LE(from + FIX_RECORD.flags) & FIX_FLAG.altitude) !== 0) {
    end = writeBytes(out, end, SEPARATOR)
    end = writeDecimal(out, end, integer(FIX_RECORD.altitude), altitude.decimals)
  }
  return writeBytes(out, end, COORD[1])
}

/** Stands for a character that XML 1.0 forbids. */
const REPLACEMENT = Buffer.from('\u{fffd}')
const [TAB, LINE_FEED, SPACE] = [0x09, 0x0a, 0x20]

/** The references of bytes that XML does not take as they are. A reader takes a bare CR for a line feed. */
const REFERENCES = Array.from({ length: 0x100 }, (_, code) => {
  const named: Record<string, string> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    '\r': '#13',
  }
  const name = named[String.fromCharCode(code)]
  if (name !== undefined) return Buffer.from(`&${name};`)
  const isForbidden = code < SPACE && code !== TAB && code !== LINE_FEED
  return isForbidden ? REPLACEMENT : undefined
})

/** Writes UTF-8 bytes as XML text, which may be in an attribute too. */
function writeXmlText(
  out: Uint8Array,
  at: number,
  utf8: Uint8Array,
  from: number,
  to: number,
): number {
  let end = at
  for (let i = from; i < to; i++) {
    const byte = utf8[i]!
    const reference = REFERENCES[byte]
    if (reference !== undefined) end = writeBytes(out, end, reference)
    else out[end++] = byte
    // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
    const isLast = byte === 0xbe || byte === 0xbf
    if (isLast && i >= from + 2 && utf8[i - 1] === 0xbf && utf8[i - 2] === 0xef) out[end - 1] = 0xbd
  }
  return end
}

/** Bytes of XML for a byte of UTF-8, at most. */
const ESCAPED_BYTES = 6

function xmlText(text: string): string {
  const utf8 = Buffer.from(text)
  const out = Buffer.alloc(utf8.length * ESCAPED_BYTES)
  return out.toString('utf8', 0, writeXmlText(out, 0, utf8, 0, utf8.length))
}
