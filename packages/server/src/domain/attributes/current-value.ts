import type { AttributeValue } from './attribute-value.ts'
import type { AttributeEntry } from './catalogue.ts'
import { shownValue } from './shown-value.ts'

/** A value that a device sent under a name, and its time in milliseconds since the epoch. Null: there is none. */
type SentValue = {
  readonly name: string
  readonly value: AttributeValue | null
  readonly at: number
}

/** The current value of an entry, as answers show it, and the name under which the device sent it. */
export type CurrentValue = {
  readonly value: AttributeValue
  readonly at: number
  readonly source: string
}

/**
 * The current value of an entry: that of the source that sent last, and of several at the same time the first one.
 * Undefined if there is none, or it cannot have the type of the entry.
 */
export function currentValue(
  entry: AttributeEntry,
  attributes: readonly SentValue[],
): CurrentValue | undefined {
  let newest: SentValue | undefined
  for (const source of entry.sources) {
    const sent = attributes.find(({ name }) => name === source)
    if (sent === undefined || sent.value === null) continue
    if (newest === undefined || sent.at > newest.at) newest = sent
  }
  const value = newest === undefined ? undefined : shownValue(newest.value!, entry)
  return value === undefined ? undefined : { value, at: newest!.at, source: newest!.name }
}
