import type { FleetObject } from '../../cache/fleet-objects.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { hundredthOf } from '../../domain/position/field.ts'
import {
  COORDINATE_SCALE,
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_VERSION,
  unknownVersion,
} from '../../domain/position/fix-record.ts'
import { type AddressAt, nothingKnown, UNSEEN } from '../../domain/position/object-state.ts'
import { jsonPositions } from '../formats/json.ts'
import { type AttributeForm, OWN_COLUMNS, type PositionForm } from '../formats/position-form.ts'
import { writeBytes } from './numbers.ts'
import {
  addressParts,
  type LackingAddress,
  partsOf,
  sharedOf,
  unseenRow,
  writeRow,
} from './position-parts.ts'
import { attributeReader } from './row-attributes.ts'

/**
 * Writes whole fix records of one object as rows, with the text of the format between them. `continued`: rows
 * went before, so that text precedes the first one too. `copy` copies the rows out of memory that the next ones
 * reuse. Without it each call gets its own memory. `around` is written around each row.
 */
export type PositionRowEncoder = (
  records: Uint8Array,
  continued: boolean,
  copy?: (rows: Buffer) => Buffer,
  around?: AroundRow,
) => Buffer

/** Constant text around each row. */
export type AroundRow = { before: Uint8Array; after: Uint8Array }

const NOTHING_AROUND: AroundRow = { before: new Uint8Array(), after: new Uint8Array() }

/** The longest number or time. The texts around it, names and addresses come on top. */
const VALUE_BYTES = 24
/** A character of a string becomes at most this many bytes. */
const UTF8_BYTES = 3
/** A byte of UTF-8 becomes at most `\u00XX`. */
const ESCAPED_BYTES = 6
/** The room that a record without an address leaves, because all of it is counted as text. */
const ADDRESS_BYTES = FIX_RECORD.optional * ESCAPED_BYTES

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
  /** The last known address in this format: neighbouring rows mostly share it. */
  const none: { known: string | null; lacking: LackingAddress } = { known: null, lacking: own }
  let last = none

  function lackingAt(view: DataView, at: number): LackingAddress {
    const known = addressAt(
      view.getInt32(at + FIX_RECORD.latitude, true) / COORDINATE_SCALE,
      view.getInt32(at + FIX_RECORD.longitude, true) / COORDINATE_SCALE,
    )
    if (known === last.known) return last.lacking
    last = { known, lacking: known === null ? own : near(known) }
    return last.lacking
  }

  return (records, continued, copy = Buffer.from, around = NOTHING_AROUND) => {
    const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
    const rows = Math.floor(records.length / FIX_RECORD.optional)
    const rowBytes = ownBytes + around.before.length + around.after.length
    const room = rows * rowBytes + records.length * ESCAPED_BYTES
    let out = scratchOf(room)
    /** The bytes that attributes may take. */
    let spare = out.length - room
    let to = 0
    for (let at = 0; at < records.length; ) {
      const end = at + view.getUint16(at + FIX_RECORD.length, true)
      // A damaged length could make the loop endless, or read beyond the records.
      if (end < at + FIX_RECORD.optional || end > records.length) throw damagedRecord()
      if (records[at + FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
      if (continued || at > 0) to = writeBytes(out, to, between)
      const lacking = bringsAddress(view, at) ? own : lackingAt(view, at)
      const { length } = lacking.address
      if (length > ADDRESS_BYTES) out = widened(out, to, length)
      to = writeBytes(out, to, around.before)
      to = writeRow(out, to, row, view, records, at, end, lacking)
      if (rowEnd !== undefined) {
        const text = rowEnd(records, at, end)
        spare -= text.length * UTF8_BYTES
        if (spare < 0) {
          const more = Math.max(-spare, out.length)
          out = widened(out, to, more)
          spare += more
        }
        to += out.write(text, to)
      }
      to = writeBytes(out, to, around.after)
      at = end
    }
    // An encoder may be kept, and the address shares its memory with others.
    last = none
    return copy(out.subarray(0, to))
  }
}

/** Makes the text of attributes at the end of a row of an object. */
function attributeWriter(form: AttributeForm, { state }: FleetObject) {
  const read = attributeReader(form, state.attributes)
  return (records: Uint8Array, at: number, end: number) => form.text(read(records, at, end))
}

/** Whether some of these adjacent records came without an address. */
export function someLackAddress(records: Uint8Array): boolean {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
  for (let at = 0; at + FIX_RECORD.optional <= records.length; ) {
    if (!bringsAddress(view, at)) return true
    const length = view.getUint16(at + FIX_RECORD.length, true)
    // The encoder reports the damage.
    if (length < FIX_RECORD.optional) return false
    at += length
  }
  return false
}

function bringsAddress(view: DataView, at: number): boolean {
  return (view.getUint16(at + FIX_RECORD.flags, true) & FIX_FLAG.address) !== 0
}

function damagedRecord(): Error {
  return new Error('the record of a position is damaged; restore the data from a backup')
}

let scratch = Buffer.alloc(0)

/**
 * Room for the longest possible block, about four times the usual one. It is kept, because the system
 * provides and takes back memory of this size page by page.
 */
function scratchOf(bytes: number): Buffer {
  if (scratch.length < bytes) scratch = Buffer.allocUnsafeSlow(bytes)
  return scratch
}

/** The same memory with room for more bytes. */
function widened(out: Buffer, used: number, bytes: number): Buffer {
  const wider = Buffer.allocUnsafeSlow(out.length + bytes)
  out.copy(wider, 0, 0, used)
  scratch = wider
  return wider
}

/** The row of an object that had no position at a moment: nulls. Empty in a format that has none. */
export function encodeAbsentRow(
  { object }: FleetObject,
  unit: DistanceUnit,
  form: PositionForm,
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
