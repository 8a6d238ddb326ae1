import { isDeepStrictEqual } from 'node:util'
import { byName } from '../../domain/attributes/attribute.ts'
import { ATTRIBUTE_DEFAULTS, type AttributeEntry } from '../../domain/attributes/catalogue.ts'
import type { AttributeStore } from '../attribute-store.ts'
import { noted } from './audit.ts'
import type { Tables } from './sql.ts'

const LIST = 'SELECT name, settings FROM attributes WHERE organization = $1'
const PUT = `
  INSERT INTO attributes (organization, name, settings) VALUES ($1, $2, $3)
  ON CONFLICT (organization, name) DO UPDATE SET settings = excluded.settings`
const REMOVE = 'DELETE FROM attributes WHERE organization = $1 AND name = $2'

type Row = { name: string; settings: string }

export function attributeStore({ read, change }: Tables): AttributeStore {
  return {
    async list(organization) {
      return entriesOf(await read(({ all }) => all<Row>(LIST, [organization])))
    },
    change: (organization, make, note) =>
      change(organization, function* (sql) {
        const before = entriesOf(yield* sql.all<Row>(LIST, [organization]))
        const after = [...make(before)].sort(byName)
        const changed = after.filter(
          (entry) => !before.some((each) => isDeepStrictEqual(each, entry)),
        )
        const gone = before.filter(({ name }) => !after.some((each) => each.name === name))
        if (changed.length + gone.length === 0) return after
        for (const { name } of gone) sql.run(REMOVE, [organization, name])
        for (const { name, ...settings } of changed) {
          sql.run(PUT, [organization, name, JSON.stringify(settings)])
        }
        sql.changed('attributes')
        return yield* noted(sql, after, note, before)
      }),
  }
}

/** A setting that is newer than a row has its default. */
function entriesOf(rows: readonly Row[]): AttributeEntry[] {
  return rows
    .map(({ name, settings }) => ({ ...ATTRIBUTE_DEFAULTS, name, ...JSON.parse(settings) }))
    .sort(byName)
}
