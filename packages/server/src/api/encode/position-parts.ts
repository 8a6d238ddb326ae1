import type { FleetObject } from '../../cache/fleet-objects.ts'
import { addAll } from '../../domain/common/any-number.ts'
import { viewedUint48 } from '../../domain/common/packed-numbers.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { type Field, hundredths } from '../../domain/position/field.ts'
import { FIELDS } from '../../domain/position/fields.ts'
import { addressEnd, flagsAt, motionIn, RECORD_MOTIONS } from '../../domain/position/fix-record.ts'
import { HOUR_MS } from '../../domain/time/time.ts'
import type { FieldText, PositionField, PositionForm } from '../formats/position-form.ts'
import { countersOf, DECIMALS, writeBytes, writeDecimal, writeInstant } from './numbers.ts'
import { noAttributes } from './row-attributes.ts'

/** How a value is read from a record and written. Integers, because V8 makes a jump table of their switch. */
const VALUE = {
  constant: 0,
  int32: 1,
  uint32: 2,
  uint16: 3,
  uint8: 4,
  speed: 5,
  instant: 6,
  hours: 7,
  distance: 8,
  integer: 9,
  address: 10,
  switch: 11,
  motion: 12,
  addressSource: 13,
} as const

/** `at`: the offset of the value in the record, or the flag that is a switch. `flag`: 0 if each record has the value. */
type Source = { value: number; at: number; flag: number; decimals: number }

function sourceOf(name: PositionField): Source {
  const field: Field = FIELDS[name]
  switch (field.kind) {
    case 'object':
      return CONSTANT
    case 'time':
      return sourceAt(VALUE.instant, field.record)
    case 'coordinate':
      return sourceAt(VALUE.int32, field.record, field.decimals)
    case 'measure': {
      const { unit, record, decimals } = field
      return sourceAt(unit === 'km/h' ? VALUE.speed : VALUE[record.bytes], record, decimals)
    }
    case 'counter':
      return sourceAt(field.unit === 'km' ? VALUE.distance : VALUE.hours, field.record)
    case 'exact':
      return sourceAt(VALUE.integer, FIELDS[field.of].record)
    case 'address':
      return sourceAt(VALUE.address, field.record)
    case 'switch':
      return sourceAt(VALUE.switch, field.record)
    case 'motion':
      return sourceAt(VALUE.motion, field.record)
    case 'address_source':
      return sourceAt(VALUE.addressSource, field.record)
  }
}

function sourceAt(value: number, { at, flag }: { at: number; flag: number }, decimals = 0): Source {
  return { value, at, flag, decimals }
}

/** A part of the rows of one object. `none`: the whole part for a record that lacks the value. */
export type Part = Source & { before: Buffer; after: Buffer; none: Buffer; hundredth: number }

/** A text that is the same in all rows of a form, or a field with the object's own value. */
type Piece = string | FieldText

/** A part of the rows of any object. */
type Draft = Source & { before: Piece[]; after: string; none: Piece[]; hundredth: number }

type Own = Record<'id' | 'ident' | 'name' | (typeof OWN)[number], string | number | null>

const EMPTY = Buffer.alloc(0)
const CONSTANT: Source = { value: VALUE.constant, at: 0, flag: 0, decimals: 0 }
/** The values that objects have for positions without one. */
const OWN = ['engine_hours', 'odometer', 'mileage', 'address', 'address_source'] as const

function draftOf(field: FieldText | string): Draft {
  if (typeof field === 'string') return constantDraft(field)
  const { name, before, after, none, hundredth = 0 } = field
  if (name === 'id' || name === 'ident' || name === 'name') return constantDraft(field)
  const lacking = OWN.some((own) => own === name) ? field : none
  return { ...sourceOf(name), before: [before], after, none: [lacking], hundredth }
}

function constantDraft(piece: Piece): Draft {
  return { ...CONSTANT, before: [piece], after: '', none: [piece], hundredth: 0 }
}

/**
 * The same rows with fewer parts: a constant text is joined with the part after it, and the text at the end with the
 * last part.
 */
function joined(drafts: readonly Draft[]): Draft[] {
  const parts: Draft[] = []
  let pending: Piece[] = []
  for (const draft of drafts) {
    const { before, after, none, value, flag } = draft
    if (value === VALUE.constant) {
      addAll(pending, before)
      continue
    }
    const isInEachRow = flag === 0
    parts.push({
      ...draft,
      before: [...pending, ...before],
      after: isInEachRow ? '' : after,
      none: [...pending, ...none],
    })
    pending = isInEachRow ? [after] : []
  }
  const last = parts.at(-1)!
  last.after += pending.join('')
  addAll(last.none, pending)
  return parts
}

/** A part of all objects, and the pieces of it that differ by object. */
type TemplatePart = { part: Part; before: Piece[] | undefined; none: Piece[] | undefined }
/** The rows of a form: as they are declared, and joined; and their words. */
type Template = {
  drafts: readonly Draft[]
  parts: readonly TemplatePart[]
  words: Words
  between: Buffer
}

const templates = new WeakMap<PositionForm, Template>()

function templateOf(form: PositionForm): Template {
  const known = templates.get(form)
  if (known !== undefined) return known
  const drafts = form.fields.map(draftOf)
  const template = {
    drafts,
    parts: joined(drafts).map(templatePart),
    words: makeWords(form),
    between: Buffer.from(form.between),
  }
  templates.set(form, template)
  return template
}

function templatePart({ before, after, none, ...source }: Draft): TemplatePart {
  const ofObject = (pieces: Piece[]) =>
    pieces.some((piece) => typeof piece !== 'string') ? pieces : undefined
  const bytes = (pieces: Piece[]) => (ofObject(pieces) ? EMPTY : Buffer.from(pieces.join('')))
  return {
    part: newPart(source, bytes(before), Buffer.from(after), bytes(none)),
    before: ofObject(before),
    // A part that every record has is never written without its value.
    none: source.flag === 0 ? undefined : ofObject(none),
  }
}

/** The parts of the rows of an object. */
export function partsOf(fleetObject: FleetObject, unit: DistanceUnit, form: PositionForm): Part[] {
  const text = ownTexts(fleetObject, unit, form)
  return templateOf(form).parts.map(({ part, before, none }): Part => {
    if (before === undefined && none === undefined) return part
    const bytes = (pieces: Piece[] | undefined, same: Buffer) =>
      pieces === undefined ? same : bytesOfObject(textOf(pieces, text))
    return newPart(part, bytes(before, part.before), part.after, bytes(none, part.none))
  })
}

const SLAB_BYTES = 2_048
let slab = Buffer.alloc(0)
let inSlab = 0

/**
 * The parts of an object may be kept. Of the slabs of 64 KiB that Node shares among small buffers, each object could
 * keep one.
 */
function bytesOfObject(text: string): Buffer {
  const length = Buffer.byteLength(text)
  if (inSlab + length > slab.length) {
    slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, length))
    inSlab = 0
  }
  const bytes = slab.subarray(inSlab, inSlab + length)
  inSlab += slab.write(text, inSlab)
  return bytes
}

/** All parts are made here: V8 is slow with objects whose fields came in different orders. */
function newPart(
  { value, at, flag, decimals, hundredth }: Source & { hundredth: number },
  before: Buffer,
  after: Buffer,
  none: Buffer,
): Part {
  return { value, at, flag, decimals, hundredth, before, after, none }
}

function textOf(pieces: readonly Piece[], text: (piece: Piece) => string): string {
  let all = ''
  for (const piece of pieces) all += text(piece)
  return all
}

/** The row of an object without a position: constants, and its own values. */
export function unseenRow(
  fleetObject: FleetObject,
  unit: DistanceUnit,
  form: PositionForm,
): Buffer {
  const text = ownTexts(fleetObject, unit, form)
  const pieces = templateOf(form).drafts.flatMap(({ none }) => none)
  const { attributes } = form
  return Buffer.from(textOf(pieces, text) + (attributes?.text(noAttributes(attributes)) ?? ''))
}

function ownTexts(
  { object, state }: FleetObject,
  unit: DistanceUnit,
  form: PositionForm,
): (piece: Piece) => string {
  const { engineHours, odometer, mileage } = countersOf(object, state.fold, unit)
  const address = state.address?.value ?? object.address
  const own: Own = {
    id: object.id,
    ident: object.ident,
    name: object.name,
    engine_hours: engineHours,
    odometer,
    mileage,
    address,
    address_source: address === null ? null : LAST_KNOWN,
  }
  return (piece) => {
    if (typeof piece === 'string') return piece
    const value = own[piece.name as keyof Own]
    if (value === null) return piece.none
    const text = typeof value === 'string' ? form.text(value) : String(value)
    return piece.before + text + piece.after
  }
}

/** The sources of the address of a position that brought none. */
const LAST_KNOWN = 'last_known'
const NEAREST = 'nearest'

/** The parts of a record without an address: the address, and where it comes from. */
export type LackingAddress = { address: Buffer; source: Buffer }

/** These parts with the object's own address, or with one nearby. */
export function addressParts(parts: readonly Part[], { text }: Pick<PositionForm, 'text'>) {
  const partOf = (wanted: number) => parts.find(({ value }) => value === wanted)
  const [address, source] = [partOf(VALUE.address), partOf(VALUE.addressSource)]
  const write = (part: Part | undefined, value: string) =>
    part === undefined ? EMPTY : Buffer.concat([part.before, Buffer.from(text(value)), part.after])
  const nearest = write(source, NEAREST)
  return {
    own: { address: address?.none ?? EMPTY, source: source?.none ?? EMPTY },
    near: (value: string): LackingAddress => ({ address: write(address, value), source: nearest }),
  }
}

/** Words that rows have in a form. */
type Words = { motions: readonly Buffer[]; own: Buffer; false: Buffer; true: Buffer }

/** The words and the text between rows are the same for all objects. */
export function sharedOf(form: PositionForm): Pick<Template, 'words' | 'between'> {
  return templateOf(form)
}

function makeWords({ text }: Pick<PositionForm, 'text'>): Words {
  const word = (value: string) => Buffer.from(text(value))
  return {
    motions: RECORD_MOTIONS.map(word),
    own: word('own'),
    false: Buffer.from('false'),
    true: Buffer.from('true'),
  }
}

const MS_PER_MILLIHOUR = HOUR_MS / 10 ** DECIMALS.engineHours

/** `hundredth`: of the organization's unit, for parts without one. */
export type RowParts = {
  parts: readonly Part[]
  writeText: PositionForm['writeText']
  words: Words
  hundredth: number
}

/**
 * Writes the row of the record from `at` to `end`, and returns where the row ended. `lacking`: the parts about the
 * address, if the record has none.
 */
export function writeRow(
  out: Uint8Array,
  start: number,
  { parts, writeText, words, hundredth }: RowParts,
  view: DataView,
  records: Uint8Array,
  at: number,
  end: number,
  lacking: LackingAddress,
): number {
  const flags = flagsAt(records, at)
  let to = start
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    if ((flags & part.flag) !== part.flag) {
      to = writeBytes(out, to, lackingPart(part, lacking))
      continue
    }
    to = writeBytes(out, to, part.before)
    const field = at + part.at
    switch (part.value) {
      case VALUE.int32:
        to = writeDecimal(out, to, view.getInt32(field, true), part.decimals)
        break
      case VALUE.uint32:
        to = writeDecimal(out, to, view.getUint32(field, true), part.decimals)
        break
      case VALUE.uint16:
        to = writeDecimal(out, to, view.getUint16(field, true), part.decimals)
        break
      case VALUE.uint8:
        to = writeDecimal(out, to, view.getUint8(field), part.decimals)
        break
      case VALUE.speed:
        to = writeDecimal(
          out,
          to,
          hundredths(view.getUint32(field, true), part.hundredth || hundredth),
          2,
        )
        break
      case VALUE.instant:
        to = writeInstant(out, to, viewedUint48(view, field))
        break
      case VALUE.hours:
        to = writeDecimal(out, to, Math.round(viewedUint48(view, field) / MS_PER_MILLIHOUR), 3)
        break
      case VALUE.distance:
        to = writeDecimal(out, to, hundredths(viewedUint48(view, field), hundredth), 2)
        break
      case VALUE.integer:
        to = writeDecimal(out, to, viewedUint48(view, field), 0)
        break
      case VALUE.address:
        to = writeText(out, to, records, at + records[field]!, addressEnd(records, end, flags))
        break
      case VALUE.switch:
        to = writeBytes(out, to, (flags & part.at) === 0 ? words.false : words.true)
        break
      case VALUE.motion:
        to = writeBytes(out, to, words.motions[motionIn(flags)]!)
        break
      case VALUE.addressSource:
        to = writeBytes(out, to, words.own)
        break
    }
    if (part.after.length > 0) to = writeBytes(out, to, part.after)
  }
  return to
}

function lackingPart({ value, none }: Part, { address, source }: LackingAddress): Buffer {
  if (value === VALUE.address) return address
  return value === VALUE.addressSource ? source : none
}
