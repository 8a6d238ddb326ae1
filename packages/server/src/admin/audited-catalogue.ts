import type { CatalogueStore, PutOutcome } from '../store/store.ts'
import { type Changes, changedSettings, type Told } from './changed-settings.ts'
import type { Note } from './note.ts'

/** `noun`: the beginning of the actions, such as `object` in `object.update`. */
type Kind<Settings> = { noun: string; told?: Told<Settings> }

/**
 * Audits puts, updates and deletions. Several entries put together, as by an import, are one action with
 * the numbers of created, updated and unchanged items.
 */
export function auditedCatalogue<
  Item extends Settings & { name: string },
  Settings extends { name: string },
>(
  catalogue: CatalogueStore<Item, Settings>,
  { noun, told }: Kind<Settings>,
  note: Note,
): CatalogueStore<Item, Settings> {
  return {
    ...catalogue,
    async put(organization, entries, now) {
      const outcomes = await catalogue.put(organization, entries, now)
      const changes = counted(outcomes)
      if (changes === null) return outcomes
      if (outcomes.length > 1) {
        await note({ action: `${noun}.import`, organization, changes })
        return outcomes
      }
      const { outcome, id: target } = outcomes[0] as Changed
      const action = `${noun}.${outcome === 'created' ? 'create' : 'update'}`
      await note({ action, organization, target, name: entries[0]!.name })
      return outcomes
    },
    async update(organization, id, patch, now) {
      const before = await catalogue.find(organization, id)
      const after = await catalogue.update(organization, id, patch, now)
      if (before === null || after === null || after === 'ident_taken') return after
      const changes = changedSettings<Settings>(Object.keys(patch), before, after, told)
      if (changes !== null) {
        const action = `${noun}.update`
        await note({ action, organization, target: id, name: after.name, changes })
      }
      return after
    },
    async delete(organization, id) {
      const before = await catalogue.find(organization, id)
      const isDeleted = await catalogue.delete(organization, id)
      if (isDeleted) {
        const name = before?.name ?? null
        await note({ action: `${noun}.delete`, organization, target: id, name })
      }
      return isDeleted
    },
  }
}

type Changed = Extract<PutOutcome, { id: number }>

/** Null if nothing changed. */
function counted(outcomes: readonly PutOutcome[]): Changes | null {
  const count = (sort: PutOutcome['outcome']) =>
    outcomes.filter(({ outcome }) => outcome === sort).length
  const [created, updated] = [count('created'), count('updated')]
  if (created + updated === 0) return null
  return {
    created: { to: created },
    updated: { to: updated },
    unchanged: { to: count('unchanged') },
  }
}
