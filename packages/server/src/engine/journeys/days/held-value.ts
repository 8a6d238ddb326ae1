import type { AttributeEntry } from '../../../base/domain/attributes/attribute-catalogue.ts'
import { holdsMs } from '../../../base/domain/attributes/current-values.ts'
import { MappedValues } from '../../../base/domain/attributes/takers.ts'
import type { AttributeValue } from '../../../base/domain/position/attribute.ts'
import type { AttributeNames } from '../../../base/domain/position/attribute-section.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { VALUE_ROWS } from './counter-gain.ts'

/** The part of a stored position that attributes are read from. */
export type AttributeRow = Pick<TrackRow, 'time' | 'isOff' | 'attributes'>

/** The value of an attribute that holds, row by row. */
export class HeldValue {
  value: AttributeValue | undefined
  /** The last moment at which it holds. */
  until = 0
  private age = 0
  private readonly holdsMs: number
  private readonly endsWithIgnition: boolean

  constructor(entry: Pick<AttributeEntry, 'holds' | 'endsWithIgnition'>) {
    this.holdsMs = holdsMs(entry)
    this.endsWithIgnition = entry.endsWithIgnition
  }

  /** Takes the value of a row before the first one, newest first. Returns whether it needs no older ones. */
  lead(value: AttributeValue | undefined, row: AttributeRow): boolean {
    if (this.value !== undefined) return true
    if (value !== undefined) {
      this.take(value, row.time)
      return true
    }
    this.age += 1
    return this.endsWithIgnition && row.isOff
  }

  /** Takes that of the next row. */
  next(value: AttributeValue | undefined, { time }: AttributeRow): void {
    this.age += 1
    if (value !== undefined) {
      this.take(value, time)
      this.age = 0
    } else if (this.age > VALUE_ROWS || time > this.until) {
      this.value = undefined
    }
  }

  /** Whether the value ends at a row, up to which it holds. */
  endsAt({ isOff }: AttributeRow): boolean {
    return this.endsWithIgnition && isOff && this.age > 0 && this.value !== undefined
  }

  private take(value: AttributeValue, time: number): void {
    this.value = value
    this.until = time + this.holdsMs
  }
}

/** The text of an attribute that holds at each row of an object. */
export class HeldText {
  private readonly mapped: MappedValues
  private readonly held: HeldValue

  constructor(entry: AttributeEntry, object: number, names: AttributeNames) {
    this.mapped = new MappedValues([entry], object, names)
    this.held = new HeldValue(entry)
  }

  /** See `AttributeSpans.lead`. */
  lead(row: AttributeRow): boolean {
    return !this.held.lead(this.read(row), row)
  }

  /** Takes the next row. Returns the text that holds up to it. Null: none does. */
  add(row: AttributeRow): string | null {
    const { held } = this
    held.next(this.read(row), row)
    const text = (held.value as string | undefined) ?? null
    if (held.endsAt(row)) held.value = undefined
    return text
  }

  private read({ attributes }: AttributeRow): AttributeValue | undefined {
    if (attributes === null) return undefined
    const { values, clear, take } = this.mapped
    clear()
    attributes(take)
    return values[0]
  }
}
