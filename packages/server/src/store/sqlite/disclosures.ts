import type { Disclosure } from '../../domain/disclosure.ts'
import { takeTurn } from '../../domain/turn.ts'
import type { DisclosureStore } from '../usage-store.ts'
import type { Database } from './database/database.ts'

/** Takes some milliseconds, in which this process does nothing else. */
const ADD_SIZE = 500
/** Rows deleted in one transaction: some milliseconds. */
const SLICE_ROWS = 5_000

export function disclosureStore(database: Database): DisclosureStore {
  const { reader, writer } = database
  const list = reader.prepare(`
    SELECT organization, day, key, object, requests, rows FROM disclosures
    WHERE organization = ?1 AND (day, key, object) > (?2, ?3, ?4) AND day BETWEEN ?5 AND ?6
      AND key = coalesce(?7, key) AND object = coalesce(?8, object)
    ORDER BY day, key, object LIMIT ?9
  `)
  const add = writer.prepare(`
    INSERT INTO disclosures (organization, day, key, object, requests, rows)
    SELECT id, ?2, ?3, ?4, ?5, ?6 FROM organizations WHERE id = ?1
    ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, rows = rows + excluded.rows
  `)
  const removeSome = writer.prepare(`
    DELETE FROM disclosures WHERE (organization, day, key, object) IN (
      SELECT organization, day, key, object
      FROM organizations CROSS JOIN disclosures ON organization = organizations.id AND day < ?
      LIMIT ${SLICE_ROWS}
    )
  `)

  return {
    addSize: ADD_SIZE,
    add: (counts) =>
      database.write(() => {
        for (const { organization, day, key, object, requests, rows } of counts) {
          add.run(organization, day, key, object, requests, rows)
        }
      }),
    async list(organization, { from, to, key = null, object = null }, after, limit) {
      const place = after === null ? [0, 0, 0] : [after.day, after.key, after.object]
      return database.read(() =>
        list
          .all(organization, ...place, from, to, key, object, limit)
          .map((row) => ({ ...(row as Disclosure) })),
      )
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
