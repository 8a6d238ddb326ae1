import type { OrganizationStore } from '../../store/store.ts'
import { changedSettings, type EntryOf } from './entry.ts'

/** Audits creations, updates and deletions. */
export function auditedOrganizations(
  organizations: OrganizationStore,
  entryOf: EntryOf,
): OrganizationStore {
  const about = (id: number, name: string | null) => ({ organization: id, target: id, name })
  return {
    ...organizations,
    create: (settings, now) =>
      organizations.create(settings, now, ({ id, name }) =>
        entryOf('organization.create', about(id, name)),
      ),
    update: (id, patch, now) =>
      organizations.update(id, patch, now, (after, before) => {
        const changes = changedSettings(Object.keys(patch), before, after)
        return changes && entryOf('organization.update', { ...about(id, after.name), changes })
      }),
    async delete(id) {
      const { name = null } = (await organizations.find(id)) ?? {}
      return organizations.delete(id, () => entryOf('organization.delete', about(id, name)))
    },
  }
}
