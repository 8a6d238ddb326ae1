import { type Attribute, attributeValue } from './attribute.ts'
import { inOneSection } from './attribute-section.ts'
import { isDeviceName } from './device-name.ts'

/** A name with a value as a sender gave it. */
export type Given = readonly [name: string, value: unknown]

/**
 * The attributes of a fix: those of the given values that can be kept, each name once. Null if there are none. `lose` gets
 * the names of the others: values that are nested or too long, and those for which there is no room.
 */
export function collected(
  given: Iterable<Given>,
  lose: (name: string) => void,
): readonly Attribute[] | null {
  const found: Attribute[] = []
  for (const [name, each] of given) {
    const value = isDeviceName(name) ? attributeValue(each) : undefined
    if (value === undefined) lose(name)
    else found.push({ name, value })
  }
  if (found.length === 0) return null
  const { attributes, lost } = inOneSection(found)
  for (const name of lost) lose(name)
  return attributes
}
