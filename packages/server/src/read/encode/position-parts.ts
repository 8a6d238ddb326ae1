import { addAll } from '../../base/domain/common/any-number.ts'
import type { DistanceUnit } from '../../base/domain/organization.ts'
import type { Field } from '../../base/domain/position/field.ts'
import { motionIn, RECORD_MOTIONS } from '../../base/domain/position/fix-record.ts'
import { numberAt, type PositionColumns } from '../../base/domain/position/position-columns.ts'
import { FIELDS } from '../../base/domain/position/position-fields.ts'
import { HOUR_MS } from '../../base/domain/time/time.ts'
import type { FleetObject } from '../../data/cache/fleet-objects.ts'
import {
  countersOf,
  DECIMALS,
  type FixedText,
  fixedText,
  textIn,
  textMaker,
  writeDecimal,
  writeFixed,
  writeInstant,
} from '../formats/number-format.ts'
import type { FieldText, PositionForm } from '../formats/position-format.ts'
import { noAttributes } from './row-attributes.ts'

/** How a value is written. Integers, because V8 compares them fast. */
const VALUE = {
  constant: 0,
  number: 1,
  instant: 2,
  address: 3,
  switch: 4,
  motion: 5,
  addressSource: 6,
} as const

/** In place of a divisor: that of the organization's unit. */
const BY_UNIT = 0

/**
 * `at`: the place of the number among the columns, or the flag that is a switch. `flag`: 0 if each row has the value. A
 * number is divided by `divisor`, rounded, and written with `decimals`.
 */
type Source = { value: number; at: number; flag: number; divisor: number; decimals: number }

function sourceOf({ name, hundredth = BY_UNIT }: Pick<FieldText, 'name' | 'hundredth'>): Source {
  const field: Field = FIELDS[name]
  switch (field.kind) {
    case 'object':
      return CONSTANT
    case 'time':
      return { ...sourceAt(VALUE.instant, field.record), at: numberAt(field.record.at) }
    case 'coordinate':
      return numberOf(field.record, 1, field.decimals)
    case 'measure': {
      const { unit, record, decimals } = field
      return unit === 'km/h' ? numberOf(record, hundredth, 2) : numberOf(record, 1, decimals)
    }
    case 'counter':
      return field.unit === 'km'
        ? numberOf(field.record, BY_UNIT, 2)
        : numberOf(field.record, MS_PER_MILLIHOUR, DECIMALS.engineHours)
    case 'exact':
      return numberOf(FIELDS[field.of].record, 1, 0)
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

type Slot = { at: number; flag: number }

function sourceAt(value: number, { at, flag }: Slot): Source {
  return { value, at, flag, divisor: 1, decimals: 0 }
}

function numberOf({ at, flag }: Slot, divisor: number, decimals: number): Source {
  return { value: VALUE.number, at: numberAt(at), flag, divisor, decimals }
}

/** A part of the rows of one object. `none`: the whole part for a row that lacks the value. */
export type Part = Source & { before: FixedText; after: FixedText; none: FixedText }

/** A text that is the same in all rows of a form, or a field with the object's own value. */
type Piece = string | FieldText

/** A part of the rows of any object. */
type Draft = Source & { before: Piece[]; after: string; none: Piece[] }

type Own = Record<'id' | 'ident' | 'name' | (typeof OWN)[number], string | number | null>

const EMPTY = fixedText('')
const CONSTANT = sourceAt(VALUE.constant, { at: 0, flag: 0 })
const MS_PER_MILLIHOUR = HOUR_MS / 10 ** DECIMALS.engineHours
/** The values that objects have for positions without one. */
const OWN = ['engine_hours', 'odometer', 'mileage', 'address', 'address_source'] as const

function draftOf(field: FieldText | string): Draft {
  if (typeof field === 'string') return constantDraft(field)
  const { name, before, after, none } = field
  if (name === 'id' || name === 'ident' || name === 'name') return constantDraft(field)
  const lacking = OWN.some((own) => own === name) ? field : none
  return { ...sourceOf(field), before: [before], after, none: [lacking] }
}

function constantDraft(piece: Piece): Draft {
  return { ...CONSTANT, before: [piece], after: '', none: [piece] }
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
  between: FixedText
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
    between: fixedText(form.between),
  }
  templates.set(form, template)
  return template
}

function templatePart({ before, after, none, ...source }: Draft): TemplatePart {
  const ofObject = (pieces: Piece[]) =>
    pieces.some((piece) => typeof piece !== 'string') ? pieces : undefined
  const bytes = (pieces: Piece[]) => (ofObject(pieces) ? EMPTY : fixedText(pieces.join('')))
  return {
    part: newPart(source, bytes(before), fixedText(after), bytes(none)),
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
    const bytes = (pieces: Piece[] | undefined, same: FixedText) =>
      pieces === undefined ? same : textOfObject(textOf(pieces, text))
    return newPart(part, bytes(before, part.before), part.after, bytes(none, part.none))
  })
}

/** Apart from others, because the parts of an object may be kept. */
const textOfObject = textMaker()

/** All parts are made here: V8 is slow with objects whose fields came in different orders. */
function newPart(
  { value, at, flag, divisor, decimals }: Source,
  before: FixedText,
  after: FixedText,
  none: FixedText,
): Part {
  return { value, at, flag, divisor, decimals, before, after, none }
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
export type LackingAddress = { address: FixedText; source: FixedText }

/** These parts with the object's own address, or with one nearby. */
export function addressParts(parts: readonly Part[], { text }: Pick<PositionForm, 'text'>) {
  const partOf = (wanted: number) => parts.find(({ value }) => value === wanted)
  const [address, source] = [partOf(VALUE.address), partOf(VALUE.addressSource)]
  const write = (part: Part | undefined) => {
    let around: { before: string; after: string } | undefined
    return (value: string) => {
      if (part === undefined) return EMPTY
      around ??= { before: textIn(part.before), after: textIn(part.after) }
      return fixedText(around.before + text(value) + around.after)
    }
  }
  const [near, nearest] = [write(address), write(source)(NEAREST)]
  return {
    own: { address: address?.none ?? EMPTY, source: source?.none ?? EMPTY },
    near: (value: string): LackingAddress => ({ address: near(value), source: nearest }),
  }
}

/** Words that rows have in a form. */
type Words = { motions: readonly FixedText[]; own: FixedText; false: FixedText; true: FixedText }

/** The words and the text between rows are the same for all objects. */
export function sharedOf(form: PositionForm): Pick<Template, 'words' | 'between'> {
  return templateOf(form)
}

function makeWords({ text }: Pick<PositionForm, 'text'>): Words {
  const word = (value: string) => fixedText(text(value))
  return {
    motions: RECORD_MOTIONS.map(word),
    own: word('own'),
    false: fixedText('false'),
    true: fixedText('true'),
  }
}

/** `hundredth`: of the organization's unit. */
export type RowParts = {
  parts: readonly Part[]
  writeText: PositionForm['writeText']
  words: Words
  hundredth: number
}

/** Memory that rows are written to. */
export type Room = { readonly bytes: Buffer; readonly view: DataView }

/** Writes a row, and returns where it ended. `lacking`: the parts about the address, if the row has none. */
export function writeRow(
  { bytes, view }: Room,
  start: number,
  { parts, writeText, words, hundredth }: RowParts,
  { flags, numbers, addresses }: PositionColumns,
  row: number,
  lacking: LackingAddress,
): number {
  const known = flags[row]!
  let to = start
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    if ((known & part.flag) !== part.flag) {
      to = writeFixed(view, to, lackingPart(part, lacking))
      continue
    }
    to = writeFixed(view, to, part.before)
    switch (part.value) {
      case VALUE.number: {
        const number = numbers[part.at]![row]!
        const divisor = part.divisor === BY_UNIT ? hundredth : part.divisor
        const scaled = divisor === 1 ? number : Math.round(number / divisor)
        to = writeDecimal(view, to, scaled, part.decimals)
        break
      }
      case VALUE.instant:
        to = writeInstant(view, to, numbers[part.at]![row]!)
        break
      case VALUE.address:
        to = writeText(bytes, to, addresses.bytes, addresses.startOf(row), addresses.endOf(row))
        break
      case VALUE.switch:
        to = writeFixed(view, to, (known & part.at) === 0 ? words.false : words.true)
        break
      case VALUE.motion:
        to = writeFixed(view, to, words.motions[motionIn(known)]!)
        break
      case VALUE.addressSource:
        to = writeFixed(view, to, words.own)
        break
    }
    if (part.after.length > 0) to = writeFixed(view, to, part.after)
  }
  return to
}

function lackingPart({ value, none }: Part, { address, source }: LackingAddress): FixedText {
  if (value === VALUE.address) return address
  return value === VALUE.addressSource ? source : none
}
