import type { NotationPart } from './tables/notation.ts'

/** The settings of a file that its reader cannot see in it, or that somebody chose. Null: not set. */
export type MappingSettings = {
  /** By field. */
  columns: Readonly<Record<string, string>>
  speedUnit: string | null
  distanceUnit: string | null
  timezone: string | null
} & { readonly [Part in NotationPart]: string | null }

/** The choices with which a file was imported, for later files with the same headings. */
export type SavedMapping = {
  id: number
  /** The import: `positions`, `objects` or a kind of places. */
  kind: string
  headings: readonly string[]
  settings: MappingSettings
  /** ms since the epoch. */
  savedAt: number
}
