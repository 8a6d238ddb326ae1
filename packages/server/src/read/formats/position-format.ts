import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import { plainNumber, toJson } from '../../base/domain/common/plain-json.ts'
import type { AttributeValue } from '../../base/domain/position/attribute.ts'
import {
  type FieldName,
  type Included,
  includedBy,
} from '../../base/domain/position/field-lists.ts'
import type { RowSlice } from '../../base/domain/position/position-columns.ts'
import { formatInstant } from '../../base/domain/time/time.ts'

/*
 * How a format writes positions with their attributes.
 */

export type PositionField = FieldName

/** The fields of a position row in the order of the contract. */
const POSITION_FIELDS = includedBy(undefined)

/** How a position was measured, and the source of its address, which `include=quality` adds. */
export const QUALITY_FIELDS = includedBy('quality')

/** The counters as they are kept, which `include=exact` adds. */
export const EXACT_FIELDS = includedBy('exact')

/** The fields that a request adds to the 14 of the contract. `attributes`: null without any. */
export type Columns = {
  readonly hasQuality: boolean
  readonly isExact: boolean
  readonly attributes: ShownAttributes | null
}

export function columnsOf(
  included: readonly Included[],
  attributes: ShownAttributes | null = null,
): Columns {
  return {
    hasQuality: included.includes('quality'),
    isExact: included.includes('exact'),
    attributes,
  }
}

export const OWN_COLUMNS = columnsOf([])

export function namesOf({ hasQuality, isExact }: Columns): readonly PositionField[] {
  const quality = hasQuality ? QUALITY_FIELDS : []
  return [...POSITION_FIELDS, ...quality, ...(isExact ? EXACT_FIELDS : [])]
}

/** The text of a format around a field. `none`: instead of all of it where the field is null. */
export type FieldText = {
  readonly name: PositionField
  readonly before: string
  readonly after: string
  readonly none: string
  /** Millionths of a kilometre in a hundredth of the unit, for a format with a unit of its own. */
  readonly hundredth?: number
}

/** The text that a format has after the rows of an object, made of these rows. */
export type ObjectTrack = {
  /** Takes rows that were just written. Gives what has to be written before it can take more. */
  add(rows: RowSlice): Iterable<Buffer>
  end(): Iterable<Buffer>
}

/** The track in a format that has none. */
const NO_TRACK: ObjectTrack = { add: () => [], end: () => [] }

export function trackOf(form: PositionForm, name: string): ObjectTrack {
  return form.trackOf?.(name) ?? NO_TRACK
}

/** How a format writes positions. */
export type PositionForm = {
  /** Before and after all rows of an answer. */
  readonly head: string
  readonly tail: string
  /** Before and after the rows of an object. */
  openObject(name: string): string
  readonly closeObject: string
  /** The track of an object, for a format that writes one after the rows. */
  trackOf?(name: string): ObjectTrack
  readonly between: string
  /** The parts of a row in their order. A string is the same in all rows. */
  readonly fields: readonly (FieldText | string)[]
  /** After the fields of a row. */
  readonly attributes?: AttributeForm
  /** Whether an object without a position has a row. */
  readonly hasUnseen: boolean
  /** A text as it is written. */
  text(value: string): string
  /**
   * Writes a part of UTF-8 bytes as `text` does, and returns where it ended. Takes at most six bytes for each
   * byte of the text, and two more.
   */
  writeText(out: Uint8Array, at: number, utf8: Uint8Array, from: number, to: number): number
}

/** The attributes of an answer, in the order of the catalogue. `isCurrent`: with the times of their values. */
export type ShownAttributes = {
  readonly entries: readonly AttributeEntry[]
  readonly isCurrent: boolean
}

/** The attributes of one row, as answers show them, by the entries of the answer. Undefined: none. */
export type RowAttributes = {
  readonly values: readonly (AttributeValue | undefined)[]
  /** Milliseconds since the epoch. Only of current values. */
  readonly times?: readonly (number | undefined)[]
}

/** How a format writes the attributes at the end of a row. */
export type AttributeForm = ShownAttributes & {
  /** The text after the fields, with the end of the row. */
  text(row: RowAttributes): string
}

/** The value of an attribute as JSON. */
function attributeJson(value: AttributeValue): string {
  return typeof value === 'number' ? plainNumber(value) : toJson(value)
}

/** Two members of the row: an object with the values, and one with their times. */
export function attributeMembers(shown: ShownAttributes, end: string): AttributeForm {
  const keys = shown.entries.map(({ name }) => `"${name}":`)
  return {
    ...shown,
    text({ values, times }) {
      const text = `,"attributes":{${membersOf(keys, values, attributeJson)}}`
      return times === undefined
        ? text + end
        : `${text},"attributes_at":{${membersOf(keys, times, timeJson)}}${end}`
    },
  }
}

/** A member of the row for each attribute. */
export function attributeProperties(shown: ShownAttributes, end: string): AttributeForm {
  const keys = shown.entries.map(({ name }) => `"${name}":`)
  const timeKeys = shown.entries.map(({ name }) => `"${partColumn(name, 'at')}":`)
  return {
    ...shown,
    text({ values, times = [] }) {
      const members = [membersOf(keys, values, attributeJson), membersOf(timeKeys, times, timeJson)]
      return members.map((text) => (text === '' ? '' : `,${text}`)).join('') + end
    },
  }
}

/** How a table writes a text, a time, and a cell without a value. */
type CellForm = { text(value: string): string; time(text: string): string; none: string }

/** A cell for each attribute, and one for its time. */
export function attributeCells(
  shown: ShownAttributes,
  { text, time, none }: CellForm,
  end: string,
): AttributeForm {
  const cell = (value: AttributeValue | undefined) => {
    if (value === undefined) return none
    if (typeof value === 'string') return text(value)
    return typeof value === 'number' ? plainNumber(value) : String(value)
  }
  return {
    ...shown,
    text({ values, times = [] }) {
      let line = ''
      for (let i = 0; i < values.length; i++) {
        line += `,${cell(values[i])}`
        if (shown.isCurrent)
          line += `,${times[i] === undefined ? none : time(formatInstant(times[i]!))}`
      }
      return line + end
    },
  }
}

/** The columns of a table, each with the one of its time. The catalogue refuses names that fields have. */
export function attributeHeadings({ entries, isCurrent }: ShownAttributes): string[] {
  return entries.flatMap(({ name }) => (isCurrent ? [name, partColumn(name, 'at')] : [name]))
}

/** The column of a part of an attribute. No name of an attribute or of a field has two underscores in a row. */
export function partColumn(name: string, part: string): string {
  return `${name}__${part}`
}

const timeJson = (time: number) => `"${formatInstant(time)}"`

function membersOf<Value>(
  keys: readonly string[],
  values: readonly (Value | undefined)[],
  textOf: (value: Value) => string,
): string {
  let text = ''
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value === undefined) continue
    text += (text === '' ? '' : ',') + keys[i]! + textOf(value)
  }
  return text
}
