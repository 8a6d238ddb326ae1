/** The choices for a CSV file that its reader cannot see in it, or that somebody made. Null: none. */
export type MappingSettings = {
  /** By field. */
  readonly columns: Readonly<Record<string, string>>
  readonly encoding: string | null
  readonly delimiter: string | null
  readonly decimal: string | null
  readonly dates: string | null
  readonly speedUnit: string | null
  readonly distanceUnit: string | null
  readonly timezone: string | null
}

/** The choices with which a file was imported, for later files with the same headings. */
export type SavedMapping = {
  /** Follows from the kind and the headings. */
  readonly id: number
  /** The import: `positions`, `objects` or a kind of places. */
  readonly kind: string
  readonly headings: readonly string[]
  /** The name of the first file, until an operator gives another. */
  readonly name: string
  readonly settings: MappingSettings
  /** Milliseconds since the epoch. */
  readonly savedAt: number
}

/** The mappings that an organization keeps. The oldest ones go. */
export const MAX_MAPPINGS = 200
