import { createHash } from 'node:crypto'
import type { StoredAttribute } from '../../../base/domain/attributes/attribute-catalogue.ts'
import { sourcesOf, takes } from '../../../base/domain/attributes/takers.ts'
import { levelSettings } from './samples.ts'

/** The entries of a catalogue that are levels. */
export type LevelEntries = readonly StoredAttribute[]

export function levelEntries(entries: readonly StoredAttribute[]): LevelEntries {
  return entries.filter(({ isLevel }) => isLevel)
}

/** A short text of all on which the changes of a level of an object depend, besides its rows. */
export function levelDigest(entry: StoredAttribute, object: number): string {
  const taken = sourcesOf(entry)
    .filter((source) => takes(source, object))
    .map(({ rank }) => entry.sources[rank])
  return textDigest([...shownBy(entry), taken, levelSettings(entry, object)])
}

/** A short text of these levels. Another one means that the changes of a level may be others. */
export function levelsDigest(levels: LevelEntries): string {
  return textDigest(
    levels.map((entry) => {
      const { id, name, unit, sources, threshold, smoothing } = entry
      return [...shownBy(entry), id, name, unit, sources, threshold, smoothing]
    }),
  )
}

/** The settings of an entry that decide which number it shows, besides its sources. */
function shownBy({ decimals, scale, offset, minimum, maximum, none }: StoredAttribute): unknown[] {
  return [decimals, scale, offset, minimum, maximum, none]
}

function textDigest(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 16)
}
