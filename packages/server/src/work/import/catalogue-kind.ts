import type { Steps } from '../../base/domain/common/steps.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import {
  breach,
  documentedName,
  type Finding,
  isNumeric,
  type Rule,
} from '../../base/domain/setting-rule.ts'
import { type Fault, fault, misread, type Remarks } from './row.ts'
import { booleanIn, isEmpty, isMisread, numberIn, textIn } from './tables/cells.ts'
import type { Field } from './tables/column-mapping.ts'

/** How the rows of one kind of item are read. */
export type CatalogueKind<Settings> = {
  /** The first field is the id, the second matches rows without an id. */
  fields: readonly Field[]
  matchedBy: 'name' | 'ident'
  /** Defaults of a new item. */
  defaults: Partial<Settings>
  /** The settings that every item must have. */
  essentials: readonly (keyof Settings & string)[]
  /** The settings of `existing` with the row's values in their place. No value stays undefined. */
  read(
    cells: readonly unknown[],
    existing: Partial<Settings>,
    remarks: Remarks,
  ): Steps<Partial<Settings> | Fault>
}

/** The largest id that a store accepts from a file. */
const LARGEST_ID = 2 ** 52

export function readId(cell: unknown): number | undefined | Fault {
  const id = numberIn(cell)
  if (id === null) return undefined
  const isId = Number.isInteger(id) && id >= 1 && id <= LARGEST_ID
  return isId ? id : fault('bad_id', `id must be a whole number from 1 to ${LARGEST_ID}`, 'id')
}

type SettingField = Field & { key: string; rule: Rule; factor: number }

const DEGREES: Readonly<Record<string, number>> = { latitude: 90, longitude: 180 }

/** The field of a setting, by its documented name. `factor` converts the file's unit to Fleetgate's. */
export function settingField(
  key: string,
  rule: Rule,
  synonyms: readonly string[] = [],
  factor = 1,
): SettingField {
  const maximum = DEGREES[key]
  const holds =
    maximum !== undefined
      ? ({ kind: 'coordinate', maximum } as const)
      : isNumeric(rule)
        ? ({ kind: 'number' } as const)
        : null
  const field = { name: documentedName(key), key, rule, synonyms, factor }
  return holds === null ? field : { ...field, holds }
}

/** The settings in the cells from `offset` on, one cell for each field. Empty ones are absent. */
export function readSettings(
  fields: readonly SettingField[],
  cells: readonly unknown[],
  offset: number,
): Record<string, unknown> | Fault {
  const settings: Record<string, unknown> = {}
  for (const [index, { name, key, rule, factor }] of fields.entries()) {
    const cell = cells[offset + index]
    if (cell === undefined) continue
    if (isEmpty(cell)) {
      if (rule.optional) settings[key] = null
      continue
    }
    const written = writtenIn(cell, rule)
    const value = typeof written === 'number' && factor !== 1 ? written * factor : written
    if (value === null || !rule.holds(value)) return ruleFault(name, rule, value)
    if (typeof value === 'string' && isMisread(value)) return misread(name, value)
    settings[key] = value
  }
  return settings
}

/** Reads a cell in the type of its rule. Gives text if the cell does not hold a boolean that its rule wants. */
function writtenIn(cell: unknown, rule: Rule): string | number | boolean | null {
  if (isNumeric(rule)) return numberIn(cell)
  return (rule.schema.type === 'boolean' ? booleanIn(cell) : undefined) ?? textIn(cell)
}

export function ruleFault(field: string, rule: Rule, value: unknown, found?: Finding): Fault {
  return fault(`bad_${field}`, `${field} ${breach(rule, value, found)}`, field)
}

export type Item<Settings> = Settings &
  Pick<MonitoredObject, 'id' | 'organization' | 'createdAt' | 'updatedAt'>

/** An item as it is, or as it will be when its batch is written. */
export type Existing<Settings> = {
  id: number | undefined
  settings: Partial<Settings>
  /** Whether an earlier row of this source was for the same item. */
  claimed: boolean
}

export type Register<Settings> = {
  /** The item that a row with this id and this name or ident is for. */
  find(id: number | undefined, key: string | null): Existing<Settings> | undefined
  /** Notes that a row was for this item. */
  claim(id: number | undefined, settings: Partial<Settings>): void
}

/** The existing items, matched like in a store, and updated with the rows' changes. */
export function registerOf<Settings extends object>(
  items: Item<Settings>[],
  kind: CatalogueKind<Settings>,
): Register<Settings> {
  const byId = new Map<number, Existing<Settings>>()
  const byKey = new Map<unknown, Existing<Settings>>()
  const keyOf = (settings: Partial<Settings>) => settings[kind.matchedBy as keyof Settings]

  function add(existing: Existing<Settings>): void {
    if (existing.id !== undefined) byId.set(existing.id, existing)
    const key = keyOf(existing.settings)
    // Among several items of one name the first counts.
    if (!byKey.has(key) || existing.claimed) byKey.set(key, existing)
  }

  function claim(id: number | undefined, settings: Partial<Settings>): void {
    const renamed = id === undefined ? undefined : byId.get(id)
    if (renamed !== undefined && byKey.get(keyOf(renamed.settings)) === renamed) {
      byKey.delete(keyOf(renamed.settings))
    }
    add({ id, settings, claimed: true })
  }

  for (const { id, organization: _, createdAt: __, updatedAt: ___, ...settings } of items) {
    add({ id, settings: settings as Partial<Settings>, claimed: false })
  }
  return {
    find: (id, key) => (id === undefined ? undefined : byId.get(id)) ?? byKey.get(key),
    claim,
  }
}
