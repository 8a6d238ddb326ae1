import type { MonitoredObject } from '../domain/monitored-object.ts'
import type { CatalogueKind } from './catalogue-kind.ts'

export type Item<Settings> = Settings &
  Pick<MonitoredObject, 'id' | 'organization' | 'createdAt' | 'updatedAt'>

/** An item as it is, or as it will be when its batch is written. */
export type Existing<Settings> = {
  id: number | undefined
  settings: Partial<Settings>
  /** Whether an earlier row of this source was for it. */
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
