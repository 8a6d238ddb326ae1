import { OBJECT_DEFAULTS } from '../../../domain/monitored-object.ts'
import { OBJECTS } from '../../kinds.ts'
import type { ObjectStore } from '../../store.ts'
import { noted } from '../audit.ts'
import { statement } from '../connection/connections.ts'
import type { Database } from '../database.ts'
import { idsOf } from './ids.ts'
import { itemRows } from './item-rows.ts'
import { itemStore } from './items.ts'
import { objectsWithinLimits } from './object-limits.ts'
import type { OrganizationWrites } from './organization-writes.ts'

const FIND_BY_IDENTS = statement(
  'SELECT id, ident FROM objects WHERE organization = $1 AND ident = ANY($2::text[])',
)

export function objectStore(database: Database, writes: OrganizationWrites): ObjectStore {
  const rows = itemRows(OBJECTS)
  const objectIds = idsOf('objects')

  return {
    ...itemStore(database, writes, OBJECTS),
    async ensure(organization, idents, now, feedToken, note) {
      const ensured = await writes.write(organization, async (write) => {
        const existing = await write.query<{ id: number; ident: string }>(FIND_BY_IDENTS, [
          organization,
          idents,
        ])
        const ids = new Map(existing.map(({ id, ident }) => [ident, id]))
        const missing = idents.filter((ident) => !ids.has(ident))
        if (missing.length === 0) return { ids, created: 0, beyond: null }
        const within = await objectsWithinLimits(write, feedToken, missing.length, now)
        const { count: created, beyond } = within
        const fresh = await objectIds.next(write, created)
        for (const [index, ident] of missing.slice(0, created).entries()) {
          const id = fresh[index]!
          const settings = { ...OBJECT_DEFAULTS, name: ident, ident }
          objectIds.claim(write, organization, id, false)
          write.run(rows.insert, [organization, id, now, ...rows.values(settings)])
          write.log({ items: [{ topic: 'objects', id, isDeleted: false }] })
          ids.set(ident, id)
        }
        if (created > 0) write.changed('objects')
        return noted(write, { ids, created, beyond }, note)
      })
      if (ensured === null) throw new Error(`there is no organization ${organization}`)
      return ensured
    },
  }
}
