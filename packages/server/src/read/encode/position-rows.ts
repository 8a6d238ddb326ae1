import type { DistanceUnit } from '../../base/domain/organization.ts'
import { hundredthOf } from '../../base/domain/position/field.ts'
import { COORDINATE_SCALE, FIX_FLAG } from '../../base/domain/position/fix-record.ts'
import { type AddressAt, nothingKnown, UNSEEN } from '../../base/domain/position/object-state.ts'
import {
  latitudeIn,
  longitudeIn,
  type PositionColumns,
} from '../../base/domain/position/position-columns.ts'
import type { FleetObject } from '../../data/cache/fleet-objects.ts'
import { jsonPositions } from '../formats/json.ts'
import { type FixedText, fixedText, OVERSHOOT_BYTES, writeFixed } from '../formats/number-format.ts'
import { type AttributeForm, OWN_COLUMNS, type PositionForm } from '../formats/position-format.ts'
import {
  addressParts,
  type LackingAddress,
  partsOf,
  type Room,
  sharedOf,
  unseenRow,
  writeRow,
} from './position-parts.ts'
import { attributeReader } from './row-attributes.ts'

/** Writes rows of one object, with the text of the format between them. */
export type PositionRowEncoder = (columns: PositionColumns, wanted?: WantedRows) => Buffer

/** Which rows are written, and how. */
export type WantedRows = {
  /** The first row, and the one after the last. Absent: all rows. */
  from?: number
  to?: number
  /** Rows went before, so that the text between rows precedes the first one too. */
  isContinued?: boolean
  /** Copies the rows out of memory that the next ones reuse. Without it each call gets its own memory. */
  copy?: (rows: Buffer) => Buffer
  around?: AroundRow
}

/** Constant text around each row. */
export type AroundRow = { before: FixedText; after: FixedText }

const NOTHING_AROUND: AroundRow = { before: fixedText(''), after: fixedText('') }

/** The longest number or time. The texts around it, names and addresses come on top. */
const VALUE_BYTES = 24
/** A character of a string becomes at most this many bytes. */
const UTF8_BYTES = 3
/** A byte of UTF-8 becomes at most `\u00XX`. */
const ESCAPED_BYTES = 6
/** The bytes that `writeText` may write around a text. */
const QUOTE_BYTES = 2

const JSON_ROWS = jsonPositions(OWN_COLUMNS)

/** How the rows of an answer are written. `addressAt`: finds the addresses of positions that brought none. */
export type RowStyle = { form?: PositionForm; addressAt?: AddressAt | undefined }

/** If `addressAt` knows no address, the object's own is shown. */
export function positionRowEncoder(
  fleetObject: FleetObject,
  unit: DistanceUnit,
  { form = JSON_ROWS, addressAt = nothingKnown }: RowStyle = {},
): PositionRowEncoder {
  const parts = partsOf(fleetObject, unit, form)
  const { writeText } = form
  const { words, between } = sharedOf(form)
  const row = { parts, writeText, words, hundredth: hundredthOf(unit) }
  const { own, near } = addressParts(parts, form)
  const rowEnd = form.attributes && attributeWriter(form.attributes, fleetObject)
  const ownBytes = parts.reduce(
    (sum, { before, after, none }) =>
      sum + Math.max(before.length + VALUE_BYTES + after.length, none.length),
    between.length,
  )
  /** The last known address in this format: neighboring rows usually share it. */
  const none: { known: string | null; lacking: LackingAddress } = { known: null, lacking: own }
  let last = none

  function lackingAt(columns: PositionColumns, row: number): LackingAddress {
    const known = addressAt(
      latitudeIn(columns, row) / COORDINATE_SCALE,
      longitudeIn(columns, row) / COORDINATE_SCALE,
    )
    if (known === last.known) return last.lacking
    last = { known, lacking: known === null ? own : near(known) }
    return last.lacking
  }

  return (columns, wanted = {}) => {
    const { flags, addresses, rows } = columns
    const { from = 0, to = rows, isContinued = false, copy = Buffer.from } = wanted
    const { around = NOTHING_AROUND } = wanted
    const rowBytes = ownBytes + around.before.length + around.after.length
    let room = scratch
    let end = 0
    for (let index = from; index < to; index += 1) {
      const bringsAddress = (flags[index]! & FIX_FLAG.address) !== 0
      const lacking = bringsAddress ? own : lackingAt(columns, index)
      const addressBytes = bringsAddress
        ? (addresses.endOf(index) - addresses.startOf(index)) * ESCAPED_BYTES + QUOTE_BYTES
        : lacking.address.length
      room = withRoom(room, end, rowBytes + addressBytes)
      if (isContinued || index > from) end = writeFixed(room.view, end, between)
      end = writeFixed(room.view, end, around.before)
      end = writeRow(room, end, row, columns, index, lacking)
      if (rowEnd !== undefined) {
        const text = rowEnd(columns, index)
        room = withRoom(room, end, text.length * UTF8_BYTES + around.after.length)
        end += room.bytes.write(text, end)
      }
      end = writeFixed(room.view, end, around.after)
    }
    // An encoder may be kept, and the address shares its memory with others.
    last = none
    return copy(room.bytes.subarray(0, end))
  }
}

/** Makes the text of attributes at the end of a row of an object. */
function attributeWriter(form: AttributeForm, fleetObject: FleetObject) {
  const read = attributeReader(form, fleetObject)
  return (columns: PositionColumns, row: number) => form.text(read(columns, row))
}

/** It is kept, because the system provides and takes back memory of this size page by page. */
let scratch = roomOf(0)

function roomOf(length: number): Room {
  const bytes = Buffer.allocUnsafeSlow(length)
  return { bytes, view: new DataView(bytes.buffer) }
}

/** The same memory, with room for more bytes. */
function withRoom(room: Room, used: number, bytes: number): Room {
  const length = used + bytes + OVERSHOOT_BYTES
  if (length <= room.bytes.length) return room
  scratch = roomOf(length * 2)
  room.bytes.copy(scratch.bytes, 0, 0, used)
  return scratch
}

/** The row of an object that had no position at a moment: nulls. Empty in a format that has none. */
export function encodeAbsentRow(
  { object }: FleetObject,
  unit: DistanceUnit,
  form: PositionForm = JSON_ROWS,
): Buffer {
  const nothing = { engineHours: null, odometer: null, mileage: null, address: null }
  return encodeUnseenRow({ object: { ...object, ...nothing }, state: UNSEEN }, unit, form)
}

/** The row of an object that never had a position. Empty in a format that has none. */
export function encodeUnseenRow(
  fleetObject: FleetObject,
  unit: DistanceUnit,
  form: PositionForm = JSON_ROWS,
): Buffer {
  return form.hasUnseen ? unseenRow(fleetObject, unit, form) : Buffer.alloc(0)
}
