import type { PublicAttributes } from '../../cache/fleet.ts'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { shortDigest } from '../request/short-digest.ts'
import type { Reader } from './changes-cursor.ts'

/** Reads the entries of the catalogue that a reader sees, as they are now. */
export type ReadCatalogue = () => PublicAttributes | Promise<PublicAttributes>

/** The entries that the pages of a reader have. Null: it wants no attributes. */
export async function entriesOf(
  { include, attributes }: Pick<Reader, 'include' | 'attributes'>,
  catalogue: ReadCatalogue,
): Promise<readonly AttributeEntry[] | null> {
  if (attributes === undefined && !include.includes('attributes')) return null
  const visible = await catalogue()
  if (attributes === undefined) return visible
  return visible.filter(({ name }) => attributes.includes(name))
}

const digests = new WeakMap<readonly AttributeEntry[], string>()

/**
 * A short text of the entries. A reader that began with others starts again, because the entries decide what all
 * positions show.
 */
export function digestOfEntries(entries: readonly AttributeEntry[]): string {
  const known = digests.get(entries)
  if (known !== undefined) return known
  const shown = entries.map(({ name, type, decimals, scale, offset, sources }) => [
    ...[name, type, decimals, scale, offset],
    sources,
  ])
  const text = shortDigest(JSON.stringify(shown))
  digests.set(entries, text)
  return text
}
