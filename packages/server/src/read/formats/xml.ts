import { FIX_FLAG, FIX_RECORD } from '../../base/domain/position/fix-record.ts'
import {
  latitudeIn,
  longitudeIn,
  numberAt,
  type PositionColumns,
  timeIn,
} from '../../base/domain/position/position-columns.ts'
import { FIELDS } from '../../base/domain/position/position-fields.ts'
import { fixedText, writeBytes, writeDecimal, writeFixed, writeInstant } from './number-format.ts'
import {
  type Columns,
  type FieldText,
  namesOf,
  type ObjectTrack,
  type PositionForm,
} from './position-format.ts'

const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
const GPX_HEAD = `${XML_DECLARATION}<gpx version="1.1" creator="Fleetgate" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n`

/** Millionths of a km/h in a hundredth of a meter per second. */
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

const WHEN = [fixedText('<when>'), fixedText('</when>\n')] as const
const COORD = [fixedText('<gx:coord>'), fixedText('</gx:coord>\n')] as const
const SEPARATOR = fixedText(' ')
/** A coordinate has three numbers of at most 13 characters. */
const LINE_BYTES = 64
const END = Buffer.from('</gx:Track></Placemark>\n')

/** The numbers that a track keeps of a position. The altitude is not a number if it is unknown. */
const KEPT = { time: 0, longitude: 1, latitude: 2, altitude: 3 } as const
const KEPT_NUMBERS = 4
const ALTITUDE = numberAt(FIX_RECORD.altitude)

/** Writes the line of a position, whose kept numbers begin at `from`, to `out` at `to`. Returns the end. */
type WriteLine = (out: DataView, to: number, kept: Float64Array, from: number) => number

/**
 * Tracks of Google's extension, of at most `most` positions. All times precede all coordinates, or Google Earth shows
 * nothing. So a track follows its positions, which are kept until then.
 */
export function kmlTrack(name: string, most = TRACK_POSITIONS): ObjectTrack {
  const opening = Buffer.from(`<Placemark><name>${xmlText(name)}</name><gx:Track>\n`)
  let kept = new Float64Array(0)
  let positions = 0

  function keep(columns: PositionColumns, row: number): void {
    const to = positions * KEPT_NUMBERS
    if (to === kept.length) {
      const wider = new Float64Array(Math.max(FIRST_POSITIONS * KEPT_NUMBERS, to * 2))
      wider.set(kept)
      kept = wider
    }
    const hasAltitude = (columns.flags[row]! & FIX_FLAG.altitude) !== 0
    kept[to + KEPT.time] = timeIn(columns, row)
    kept[to + KEPT.longitude] = longitudeIn(columns, row)
    kept[to + KEPT.latitude] = latitudeIn(columns, row)
    kept[to + KEPT.altitude] = hasAltitude ? columns.numbers[ALTITUDE]![row]! : Number.NaN
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
      const out = Buffer.allocUnsafeSlow((last - first) * LINE_BYTES)
      const view = new DataView(out.buffer)
      let to = 0
      for (let i = first; i < last; i += 1) to = write(view, to, kept, i * KEPT_NUMBERS)
      yield out.subarray(0, to)
    }
  }

  return {
    *add({ columns, from, to }) {
      for (let row = from; row < to; row += 1) {
        if (positions === most) yield* track()
        keep(columns, row)
      }
    },
    end: track,
  }
}

function writeWhen(out: DataView, to: number, kept: Float64Array, from: number): number {
  const end = writeInstant(out, writeFixed(out, to, WHEN[0]), kept[from + KEPT.time]!)
  return writeFixed(out, end, WHEN[1])
}

function writeCoord(out: DataView, to: number, kept: Float64Array, from: number): number {
  const { longitude, latitude, altitude } = FIELDS
  let end = writeFixed(out, to, COORD[0])
  end = writeDecimal(out, end, kept[from + KEPT.longitude]!, longitude.decimals)
  end = writeFixed(out, end, SEPARATOR)
  end = writeDecimal(out, end, kept[from + KEPT.latitude]!, latitude.decimals)
  const height = kept[from + KEPT.altitude]!
  if (!Number.isNaN(height)) {
    end = writeFixed(out, end, SEPARATOR)
    end = writeDecimal(out, end, height, altitude.decimals)
  }
  return writeFixed(out, end, COORD[1])
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
