import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import type { Database } from './database.ts'
import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from './distribution.ts'
import { type Statement, statement, statements } from './statement.ts'
import { temporaryStore } from './temporary-store.ts'

const TABLES: readonly string[] = DISTRIBUTED_TABLES
const NAMED = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE|ONLY)\\s+(${TABLES.join('|')})\\b`, 'gi')
/** The organization as a value of the statement. */
const BY_ORGANIZATION = /\borganization\s*=\s*(\$\d|ANY\s*\(\s*\$\d)/i
const INSERTS = /^(WITH .*)?INSERT INTO \w+ (AS \w+ )?\(organization, .*(\$\d|\borganization\b)/is

describe('a schema that can be distributed by organization', () => {
  it('has each of its tables either whole on every server or by organization', async () => {
    const { database, cleanUp } = await temporaryStore()
    try {
      const tables = await namesOf(
        database,
        `SELECT relname AS name FROM pg_class
          WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
      )
      assert.deepEqual(tables.sort(), [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES].sort())
      const leading = await namesOf(
        database,
        `SELECT relname AS name FROM pg_index
          JOIN pg_class ON pg_class.oid = indrelid
          JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
          WHERE indisunique AND attname = 'organization'`,
      )
      assert.deepEqual(
        TABLES.filter((table) => !leading.includes(table)),
        [],
      )
    } finally {
      await cleanUp()
    }
  })

  it('is asked for the rows of named organizations alone, by every statement there is', async () => {
    const { cleanUp } = await temporaryStore()
    try {
      const found = await distributed()
      assert.ok(found.length > 40, `${found.length} statements were found`)
      for (const table of TABLES) {
        assert.ok(
          found.some(({ text }) => text.includes(table)),
          `${table} is in none of them`,
        )
      }
      assert.deepEqual(
        found.map(({ text }) => text).filter((text) => !isByOrganization(text)),
        [],
      )
    } finally {
      await cleanUp()
    }
  })

  it('would show a statement that asks for others', () => {
    assert.equal(isByOrganization('SELECT * FROM objects WHERE id = $1'), false)
    assert.equal(isByOrganization('DELETE FROM positions WHERE time_device < $1'), false)
    assert.equal(isByOrganization('INSERT INTO sites (id, name) VALUES ($1, $2)'), false)
    assert.equal(isByOrganization('SELECT * FROM objects WHERE organization = $1'), true)
  })

  it('is read, in the plan of each of them, by the organization of each table', async (t) => {
    const { url, cleanUp } = await temporaryStore()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      const { rows } = await client.query('SHOW server_version_num')
      if (rows[0].server_version_num < 160_000) return t.skip('only 16 and newer tell such plans')
      const scansOf = async (text: string) => {
        const plan = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`)
        return scansIn(plan.rows[0]['QUERY PLAN'][0].Plan)
      }
      const [careless] = await scansOf('SELECT * FROM objects WHERE id = $1')
      assert.equal(careless?.isByOrganization, false)
      for (const { text } of await distributed()) {
        for (const scan of await scansOf(text)) assert.ok(scan.isByOrganization, text)
      }
    } finally {
      await client.end()
      await cleanUp()
    }
  })
})

/** The statements of the adapter on distributed tables. */
async function distributed(): Promise<Statement[]> {
  const files = globSync('*.ts', { cwd: import.meta.dirname })
  for (const file of files) {
    if (!/\.(test|fixture)\.ts$/.test(file)) await import(join(import.meta.dirname, file))
  }
  return statements().filter(({ text }) => text.match(NAMED) !== null)
}

function isByOrganization(text: string): boolean {
  return BY_ORGANIZATION.test(text) || INSERTS.test(text)
}

type Plan = { Plans?: Plan[] } & Record<string, unknown>

/** The scans of distributed tables in a plan, or of the positions' partitions. */
function scansIn(plan: Plan): { isByOrganization: boolean }[] {
  const relation = String(plan['Relation Name'] ?? '').replace(/^positions_.*/, 'positions')
  const isScan = TABLES.includes(relation) && plan['Node Type'] !== 'ModifyTable'
  const conditions = ['Index Cond', 'Recheck Cond', 'Filter'].map((each) => plan[each]).join(' ')
  const scan = { isByOrganization: /\borganization = /.test(conditions) }
  return [...(isScan ? [scan] : []), ...(plan.Plans ?? []).flatMap(scansIn)]
}

async function namesOf(database: Database, text: string): Promise<string[]> {
  const rows = await database.query<{ name: string }>(statement(text))
  return rows.map(({ name }) => name)
}
