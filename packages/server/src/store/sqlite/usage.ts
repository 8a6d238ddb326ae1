import { takeTurn } from '../../domain/turn.ts'
import type { UsageCount } from '../../domain/usage.ts'
import type { UsageStore } from '../usage-store.ts'
import type { Database } from './database/database.ts'

/** Takes some milliseconds, in which this process does nothing else. */
const ADD_SIZE = 500
/** Rows deleted in one transaction: some milliseconds. */
const SLICE_ROWS = 5_000

export function usageStore(database: Database): UsageStore {
  const { reader, writer } = database
  const list = reader.prepare(`
    SELECT organization, day, key, operation, status, requests FROM usage
    WHERE organization = ? AND day BETWEEN ? AND ? AND key = coalesce(?, key)
    ORDER BY day, key, operation, status
  `)
  // Starts from the organizations, because the rows of a day are adjacent only within each.
  const ofDay = reader.prepare(`
    SELECT organization, status, sum(requests) AS requests
    FROM organizations CROSS JOIN usage ON organization = organizations.id AND day = ?
    GROUP BY organization, status
  `)

  const stands = writer.prepare('SELECT 1 FROM organizations WHERE id = ?')
  const add = writer.prepare(`
    INSERT INTO usage (organization, day, key, operation, status, requests)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests
  `)
  const removeSome = writer.prepare(`
    DELETE FROM usage WHERE (organization, day, key, operation, status) IN (
      SELECT organization, day, key, operation, status
      FROM organizations CROSS JOIN usage ON organization = organizations.id AND day < ?
      LIMIT ${SLICE_ROWS}
    )
  `)

  return {
    addSize: ADD_SIZE,
    add: (counts) =>
      database.write(() => {
        const existing = new Map<number, boolean>()
        for (const { organization, day, key, operation, status, requests } of counts) {
          let isThere = existing.get(organization)
          if (isThere === undefined) {
            isThere = stands.get(organization) !== undefined
            existing.set(organization, isThere)
          }
          if (isThere) add.run(organization, day, key, operation, status, requests)
        }
      }),
    async list(organization, from, to, key) {
      return database.read(() =>
        list.all(organization, from, to, key ?? null).map((row) => ({ ...(row as UsageCount) })),
      )
    },
    async byOrganization(day) {
      const totals = new Map<number, Map<number, number>>()
      return database.read(() => {
        for (const row of ofDay.iterate(day)) {
          const { organization, status, requests } = row as UsageCount
          const byStatus = totals.get(organization) ?? new Map<number, number>()
          totals.set(organization, byStatus.set(status, requests))
        }
        return totals
      })
    },
    async purge(before) {
      for (;;) {
        const removed = await database.write(() => removeSome.run(before).changes)
        if (removed < SLICE_ROWS) return
        await takeTurn()
      }
    },
  }
}
