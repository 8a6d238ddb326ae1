import type { AttributeValue } from '../position/attribute.ts'
import type { AttributeEntry } from './attribute-catalogue.ts'
import { type Fault, shownOf } from './shown-value.ts'
import { sourcesOf, takes } from './takers.ts'

/** Why a value is not shown, in words for people. */
export const FAULT_WORDS: Readonly<Record<Fault, string>> = {
  none: 'no value: the device has none',
  range: 'no value: outside the range',
  type: 'wrong type',
}

/** A sent value of a position, and as answers show it. */
export type Preview = {
  readonly source: string
  readonly value: AttributeValue
  /** Null: it has the fault. */
  readonly shown: AttributeValue | null
  readonly fault: Fault | null
}

/** The value of a position that has a source of the entry: the one that is shown, or else that of the first source. */
export function previewOf(
  entry: AttributeEntry,
  object: number,
  values: Readonly<Record<string, AttributeValue>>,
): Preview | undefined {
  const all = sourcesOf(entry).flatMap((each) => {
    const { name: source, units, faultOf } = each
    const value = values[source]
    if (value === undefined || !takes(each, object)) return []
    const shown = shownOf(units(value), entry) ?? null
    return [{ source, value, shown, fault: faultOf(value) ?? null }]
  })
  return all.find(({ fault }) => fault === null) ?? all[0]
}
