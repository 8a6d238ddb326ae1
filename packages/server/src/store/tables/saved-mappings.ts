import { MAX_MAPPINGS, type SavedMapping } from '../../domain/import-formats.ts'
import type { SavedMappingStore } from '../store.ts'
import { noted } from './audit.ts'
import type { Tables } from './sql.ts'

const LIST = `
  SELECT id, kind, headings, name, settings, saved_at AS "savedAt" FROM saved_mappings
  WHERE organization = $1 ORDER BY saved_at DESC, id`
const PUT = `
  INSERT INTO saved_mappings (organization, id, kind, headings, name, settings, saved_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (organization, id) DO UPDATE
  SET settings = excluded.settings, saved_at = excluded.saved_at`
const TRIM = `
  DELETE FROM saved_mappings WHERE organization = $1 AND id NOT IN (
    SELECT id FROM saved_mappings WHERE organization = $1 ORDER BY saved_at DESC, id
    LIMIT ${MAX_MAPPINGS}
  )`
const RENAME = 'UPDATE saved_mappings SET name = $3 WHERE organization = $1 AND id = $2'
const REMOVE = 'DELETE FROM saved_mappings WHERE organization = $1 AND id = $2'

type Row = Omit<SavedMapping, 'headings' | 'settings'> & { headings: string; settings: string }

export function savedMappingStore({ read, change }: Tables): SavedMappingStore {
  return {
    async list(organization) {
      const rows = await read(({ all }) => all<Row>(LIST, [organization]))
      return rows.map(
        ({ headings, settings, ...row }): SavedMapping => ({
          ...row,
          headings: JSON.parse(headings),
          settings: JSON.parse(settings),
        }),
      )
    },
    async put(organization, { id, kind, headings, name, settings, savedAt }, note) {
      const texts = [JSON.stringify(headings), name, JSON.stringify(settings)]
      await change(organization, function* (sql) {
        sql.run(PUT, [organization, id, kind, ...texts, savedAt])
        yield* sql.count(TRIM, [organization])
        return yield* noted(sql, true, note)
      })
    },
    async rename(organization, id, name, note) {
      const renamed = await change(organization, function* (sql) {
        if ((yield* sql.count(RENAME, [organization, id, name])) === 0) return false
        return yield* noted(sql, true, note)
      })
      return renamed === true
    },
    async delete(organization, id, note) {
      const deleted = await change(organization, function* (sql) {
        if ((yield* sql.count(REMOVE, [organization, id])) === 0) return false
        return yield* noted(sql, true, note)
      })
      return deleted === true
    },
  }
}
