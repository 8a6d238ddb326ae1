import { exactEntries, parseExactly } from '../../../base/domain/common/exact-json.ts'
import { numbersIn, OWNTRACKS_NAMES } from '../../../base/domain/position/field-lists.ts'
import { parseMoment } from '../../../base/domain/time/moment.ts'
import { MINUTE_MS } from '../../../base/domain/time/time.ts'
import type { Source } from '../import-source.ts'
import { fault, faultyRow, fixRow, omittedRow, type Remarks, type Row } from '../row.ts'
import {
  booleanIn,
  type KnownCells,
  knownCells,
  noteAttribute,
  type SpeedUnit,
  type Values,
} from '../tables/cells.ts'
import type { Field } from '../tables/column-mapping.ts'
import { type Line, readLines } from '../tables/lines.ts'
import type { JsonElement } from './json-splitter.ts'

/*
 * Positions in exports of phones: of Google, and of OwnTracks.
 */

/** An object in JSON. */
export type Members = Readonly<Record<string, unknown>>

/** The arrays of Google's exports that hold positions. An export of an iPhone is an array, without a name. */
export const GOOGLE_MEMBERS = ['locations', 'semanticSegments', 'rawSignals', 'timelineObjects', '']

/** Points of one path, which become rows at once. The phones write some hundreds. */
const MAX_POINTS = 20_000

/**
 * The positions of Google's exports: `Records.json` (and the `LocationHistory.json` before it), the `Timeline.json` of
 * Android and of an iPhone, and the monthly files of Semantic Location History. Only `Records.json` says whose a position
 * is: its `deviceTag` is the ident. Visits and activities are conclusions of Google's from positions, and are omitted.
 * https://locationhistoryformat.com/
 */
export class GoogleRows {
  private readonly known: KnownCells

  constructor(fields: readonly Field[], speedUnit: SpeedUnit | null, remarks: Remarks) {
    this.known = knownCells(fields, numbersIn('google'), speedUnit, remarks)
  }

  /** The rows of an element of one of `GOOGLE_MEMBERS`. Null if the element is not part of an export. */
  rowsOf(element: JsonElement, value: Members): Row[] | null {
    switch (element.member) {
      case 'locations':
        return [this.recordRow(element, value)]
      case 'rawSignals':
        return [this.signalRow(element, value)]
      case 'timelineObjects':
        return this.semanticRows(element, value)
      default:
        return this.segmentRows(element, value)
    }
  }

  finish(): void {
    this.known.finish()
  }

  private rowOf({ line }: JsonElement, text: string, values: Values, sent: Members): Row {
    this.known.addNumbers(values, sent, line)
    return fixRow(line, text.slice(0, 1_000), this.known.cells(values))
  }

  /** A record of `Records.json`. */
  private recordRow(element: JsonElement, record: Members): Row {
    const { latitudeE7, longitudeE7, timestamp, timestampMs, deviceTag } = record
    const text = squeezed(element.text)
    if (latitudeE7 === undefined && longitudeE7 === undefined) {
      return omittedRow(element.line, text, 'record_without_place', 'it has no latitudeE7')
    }
    const values = placeOf(degrees(latitudeE7, 90), degrees(longitudeE7, 180))
    values.set('time_device', timestamp ?? numberOf(timestampMs))
    values.set('ident', deviceTag)
    return this.rowOf(element, text, values, record)
  }

  /** The points of a path, with their own times or minutes from the start of the segment. */
  private pathRows(element: JsonElement, path: readonly unknown[], startTime: unknown): Row[] {
    if (path.length > MAX_POINTS) return [tooManyPoints(element)]
    return path.map((each) => {
      const point = membersOf(each)
      const values = placeIn(point.point)
      values.set(
        'time_device',
        point.time ?? later(startTime, point.durationMinutesOffsetFromStartTime),
      )
      return this.rowOf(element, JSON.stringify(each) ?? '', values, {})
    })
  }

  /** A segment of a timeline. Null if the element is something else. */
  private segmentRows(element: JsonElement, segment: Members): Row[] | null {
    const { startTime, timelinePath } = segment
    if (Array.isArray(timelinePath)) return this.pathRows(element, timelinePath, startTime)
    if (startTime === undefined) return null
    const thing = ['visit', 'activity', 'timelineMemory'].find((name) => name in segment)
    return [omitted(element, thing ?? 'segment')]
  }

  /** A signal of a phone: a position, or something else that it noticed. */
  private signalRow(element: JsonElement, signal: Members): Row {
    if (!('position' in signal)) return omitted(element, Object.keys(signal)[0] ?? 'signal')
    const position = membersOf(signal.position)
    const values = placeIn(position.LatLng ?? position.latLng)
    values.set('time_device', position.timestamp)
    return this.rowOf(element, squeezed(element.text), values, position)
  }

  /** An activity or a visit of Semantic Location History. Some have the path that they were made of. */
  private semanticRows(element: JsonElement, object: Members): Row[] {
    const [thing = 'object'] = Object.keys(object)
    const { points } = membersOf(membersOf(object[thing]).simplifiedRawPath)
    if (!Array.isArray(points) || points.length === 0) return [omitted(element, thing)]
    if (points.length > MAX_POINTS) return [tooManyPoints(element)]
    return points.map((each) => {
      const point = membersOf(each)
      const values = placeOf(degrees(point.latE7, 90), degrees(point.lngE7, 180))
      values.set('time_device', point.timestamp ?? numberOf(point.timestampMs))
      return this.rowOf(element, JSON.stringify(each) ?? '', values, point)
    })
  }
}

function tooManyPoints({ line, text }: JsonElement): Row {
  const broken = fault('malformed', `its path has more than ${MAX_POINTS} points`)
  return faultyRow(line, squeezed(text), broken)
}

function omitted({ line, text }: JsonElement, thing: string): Row {
  const name = thing.slice(0, 40).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return omittedRow(line, squeezed(text), name, 'it is not a measured position')
}

function squeezed(text: string): string {
  return text.slice(0, 1_000).replaceAll(/\s+/g, ' ')
}

export function membersOf(value: unknown): Members {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Members) : {}
}

function placeOf(latitude: unknown, longitude: unknown): Values {
  return new Map<string, unknown>([
    ['latitude', latitude],
    ['longitude', longitude],
  ])
}

/** Some exports have lost the sign of a negative number of 32 bits. */
const WRAPPED = 2 ** 32

/** Degrees of a number of their 10,000,000th parts. */
function degrees(e7: unknown, maximum: number): unknown {
  const parts = numberOf(e7)
  if (typeof parts !== 'number') return parts
  return (parts > maximum * 1e7 ? parts - WRAPPED : parts) / 1e7
}

/** The number of a text of digits. Anything else unchanged. */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value
}

const DEGREES = '([+-]?\\d+(?:\\.\\d+)?(?:[eE]-?\\d+)?)[^\\d,+-]{0,4}'
/** `geo:41.1,2.1`, `41.1°, 2.1°`, and the same after a program mistook the encoding of the degree sign. */
const POINT = new RegExp(`^(?:geo:)?\\s*${DEGREES},\\s*${DEGREES}$`)

/** The place in a text of a timeline. What is not a place stays a text, which is not a number. */
function placeIn(point: unknown): Values {
  const text = typeof point === 'string' ? point : membersOf(point).latLng
  const [, latitude = text, longitude = text] = POINT.exec(String(text)) ?? []
  return placeOf(latitude, longitude)
}

/** The moment some minutes after the start of a segment. Undefined if either is unknown. */
function later(startTime: unknown, minutes: unknown): number | undefined {
  const start = parseMoment(startTime)
  const offset = Number(minutes ?? Number.NaN)
  return start === undefined || !Number.isFinite(offset) ? undefined : start + offset * MINUTE_MS
}

/** A line: time, kind (`*` for what a device published on its own topic) and payload, separated by tabs. */
const LINE = /^([^\t]*)\t([^\t]*)\t(.*)$/

/**
 * The positions of a `.rec` file of OwnTracks Recorder. The ident is the payload's `topic`, else its `tid`, as in the
 * feed. Other messages of the phone are omitted by their type.
 * https://owntracks.org/booklet/tech/json/
 */
export async function* readOwnTracksRows(
  source: Source,
  fields: readonly Field[],
  speedUnit: SpeedUnit | null,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const known = knownCells(fields, numbersIn('owntracks'), speedUnit, remarks)

  function rowOf(line: Line): Row {
    const { number, text } = line
    const [, received = '', , payload = ''] = LINE.exec(text) ?? []
    const message = line.tooLong ? null : messageIn(payload)
    if (message === null) return brokenRow(line)
    const type = typeof message._type === 'string' ? message._type : 'no type'
    if (type !== 'location') {
      const detail =
        type === 'encrypted' ? 'the phone encrypted it' : 'it is not a position (_type location)'
      return omittedRow(number, text, `message_${type.slice(0, 40)}`, detail)
    }
    const values: Values = new Map<string, unknown>([
      ['ident', message.topic ?? message.tid],
      ['time_device', message.tst ?? received],
      ['latitude', message.lat],
      ['longitude', message.lon],
      ['ignition', booleanIn(message.ign) ?? null],
    ])
    known.addNumbers(values, message, number)
    const attributes = exactEntries(message).filter(
      ([name, value]) => !OWNTRACKS_NAMES.has(name) && value !== null,
    )
    for (const [name] of attributes) noteAttribute(remarks, name)
    return { ...fixRow(number, text, known.cells(values)), attributes }
  }

  for await (const lines of readLines(source.bytes)) {
    yield lines.filter(({ text }) => text.trim() !== '').map(rowOf)
  }
  known.finish()
}

function messageIn(payload: string): Record<string, unknown> | null {
  try {
    const value = parseExactly(payload)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function brokenRow({ number, text, ended, tooLong }: Line): Row {
  const detail = tooLong ? 'the line is too long' : 'it is not a time, a kind and a JSON object'
  return faultyRow(number, text, fault(ended ? 'malformed' : 'truncated', detail))
}
