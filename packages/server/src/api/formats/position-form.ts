import { type FieldName, type Included, includedBy } from '../../domain/position/field-lists.ts'
import type { AttributeForm, ShownAttributes } from './attribute-forms.ts'

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

/** The text that a format has after the rows of an object, made of the records of these rows. */
export type ObjectTrack = {
  /** Takes the records of rows that were just written. Gives what has to be written before it can take more. */
  add(records: Uint8Array): Iterable<Buffer>
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
