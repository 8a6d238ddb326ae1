import type { OrganizationStore } from '../../store/store.ts'
import { changedSettings, type Note } from './note.ts'

/** Audits creations, updates and deletions. */
export function auditedOrganizations(
  organizations: OrganizationStore,
  note: Note,
): OrganizationStore {
  return {
    ...organizations,
    async create(settings, now) {
      const created = await organizations.create(settings, now)
      const { id, name } = created
      await note({ action: 'organization.create', organization: id, target: id, name })
      return created
    },
    async update(id, patch, now) {
      const before = await organizations.find(id)
      const after = await organizations.update(id, patch, now)
      if (before === null || after === null) return after
      const changes = changedSettings(Object.keys(patch), before, after)
      if (changes !== null) {
        const { name } = after
        await note({ action: 'organization.update', organization: id, target: id, name, changes })
      }
      return after
    },
    async delete(id) {
      const before = await organizations.find(id)
      const isDeleted = await organizations.delete(id)
      if (isDeleted) {
        const name = before?.name ?? null
        await note({ action: 'organization.delete', organization: id, target: id, name })
      }
      return isDeleted
    },
  }
}
