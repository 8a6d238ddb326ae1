import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { MAPPING_RULES, type MappingSettings, type SavedMapping } from '../domain/import-formats.ts'
import type { Store } from '../store/store.ts'
import type { Mapping } from './formats/columns.ts'
import type { Remarks } from './row.ts'
import type { ImportSummary } from './summary.ts'
import { type GivenNotation, NOTHING_GIVEN } from './tables/notation.ts'

/** The choices of a caller for a file. */
export type FileChoices = {
  mapping: Mapping
  notation: GivenNotation
  speedUnit?: string | null
  distanceUnit: string | null
  timezone?: string | null
}

const NOTHING_CHOSEN: MappingSettings = {
  ...{ columns: {}, ...NOTHING_GIVEN },
  ...{ speedUnit: null, distanceUnit: null, timezone: null },
}

/** The saved mappings for a kind of import. */
export async function mappingsFor(
  store: Store,
  organization: number,
  kind: string,
): Promise<SavedMapping[]> {
  const saved = await store.savedMappings.list(organization)
  return saved.filter((each) => each.kind === kind)
}

/**
 * Saves the choices with which rows of a table were imported, in addition to those that are saved for its headings. An
 * import without choices, or with the saved ones, saves nothing.
 */
export async function saveMapping(
  store: Store,
  organization: number,
  kind: string,
  choices: FileChoices,
  { table }: Remarks,
  { accepted, file }: ImportSummary,
  now: number,
): Promise<void> {
  if (table === null || accepted === 0) return
  const { headings, saved } = table
  const before = saved?.settings ?? NOTHING_CHOSEN
  const settings = withChoices(before, choices)
  if (isDeepStrictEqual(settings, before)) return
  const id = idOf(kind, headings)
  const name = nameFor(file, kind)
  await store.savedMappings.put(organization, { id, kind, headings, name, settings, savedAt: now })
}

/** The name of a file, unless it has characters that no name may have. */
function nameFor(file: string, kind: string): string {
  const name = basename(file)
  return MAPPING_RULES.name.holds(name) ? name : kind
}

function withChoices(before: MappingSettings, choices: FileChoices): MappingSettings {
  const { mapping, notation, speedUnit = null, distanceUnit, timezone = null } = choices
  const chosen = Object.entries({ ...notation, speedUnit, distanceUnit, timezone })
  return {
    ...before,
    ...Object.fromEntries(chosen.filter(([, value]) => value !== null)),
    columns: { ...before.columns, ...Object.fromEntries(mapping) },
  }
}

/** A whole number that JSON and both stores keep, the same for the same headings. */
function idOf(kind: string, headings: readonly string[]): number {
  const text = JSON.stringify([kind, ...headings])
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}
