import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import pg from 'pg'
import { askPostgres } from '../../../testing/servers/ask-postgres.ts'
import { startPostgres } from '../../../testing/servers/postgres.ts'
import { emptyDatabase, isOnCitus } from '../../../testing/servers/shared-postgres.ts'
import { append, fixAt, NOW, newFleet } from '../../../testing/store-contract/fixture.ts'
import { openPostgresStore } from './open.ts'
import { shrinkDatabase } from './shrink.ts'

const [OWNER, WRITER] = ['shrinks_alone', 'shrinks_nothing']
const { signal } = new AbortController()

const partsOf = (parts: string[]) => (progress: { part: string } | { waitsFor: string }) =>
  void ('part' in progress && parts.push(progress.part))

/** The URL of a database for another role, which is made if it is missing. */
async function asRole(database: string, role: string): Promise<string> {
  const exists = `EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}')`
  await askPostgres(
    database,
    `DO $$ BEGIN IF NOT ${exists} THEN CREATE ROLE ${role} LOGIN; END IF; END $$`,
  )
  return Object.assign(new URL(database), { username: role }).href
}

/** Otherwise PostgreSQL itself may free the room first. */
const WITHOUT_AUTOVACUUM = `
  DO $$ DECLARE part regclass; BEGIN
    FOR part IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relname LIKE 'positions%' LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', part);
    END LOOP;
  END $$`

it('A role that owns its database shrinks it, and says that it may not clear the log', {
  skip: isOnCitus && 'it makes a role on one server',
}, async () => {
  const database = await emptyDatabase()
  const name = new URL(database).pathname.slice(1)
  const own = await asRole(database, OWNER)
  await askPostgres(database, `ALTER DATABASE ${name} OWNER TO ${OWNER}`)
  const store = await openPostgresStore(own)
  const { organization, object } = await newFleet(store)
  const fixes = Array.from({ length: 5_000 }, (_, index) => fixAt(NOW + index * 1_000))
  await append(store, organization, object, fixes)
  await askPostgres(own, WITHOUT_AUTOVACUUM)
  await store.objects.delete(organization, object)
  await store.positions.makeRoom(NOW, signal)
  await store.close()
  const parts: string[] = []
  const shrunk = await shrinkDatabase(own, partsOf(parts), signal)
  assert.deepEqual([shrunk.log, shrunk.skipped], ['not_allowed', []])
  assert.ok(shrunk.after < shrunk.before, `${shrunk.before} to ${shrunk.after} bytes`)
  assert.ok(parts.includes('positions_default') && parts.at(-1) === 'pg_statistic', `${parts}`)
  await assert.rejects(
    shrinkDatabase(own, () => {}, AbortSignal.abort()),
    /stopped before the end/,
  )
})

it('A role that owns neither database nor tables learns what it could not rewrite', {
  skip: isOnCitus && 'it makes a role on one server',
}, async () => {
  const database = await emptyDatabase()
  await (await openPostgresStore(database)).close()
  const writer = await asRole(database, WRITER)
  await askPostgres(
    database,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${WRITER}`,
  )
  const { skipped } = await shrinkDatabase(writer, () => {}, signal)
  for (const table of ['positions_default', 'objects', 'pg_statistic']) {
    const names = skipped.filter((each) => each.includes(`"${table}"`))
    assert.equal(names.length, 1, `${table}: ${skipped}`)
  }
})

it('A database without tables of positions is refused', {
  skip: isOnCitus && 'its databases have tables',
}, async () => {
  const database = await emptyDatabase()
  await assert.rejects(
    shrinkDatabase(database, () => {}, signal),
    /has no positions/,
  )
})

it('Tables wait for whoever may still see deleted rows, and samples for replication too', async () => {
  const postgres = await startPostgres({ max_prepared_transactions: '1', wal_level: 'logical' })
  after(() => postgres.stop())
  const database = await postgres.database()
  await (await openPostgresStore(database)).close()
  const ask = (text: string) => askPostgres(database, text)
  await ask("SELECT pg_create_logical_replication_slot('a_copy', 'pgoutput')")
  await ask("BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'a_transfer'")
  const writer = new pg.Client({ connectionString: database })
  await writer.connect()
  writer.on('error', () => {})
  // It has no snapshot between two statements.
  await writer.query('BEGIN; SELECT pg_current_xact_id()')
  const ends = new Map<string, () => Promise<unknown>>([
    ['session', () => writer.query('COMMIT')],
    ['prepared transaction a_transfer', () => ask("ROLLBACK PREPARED 'a_transfer'")],
    ['replication slot a_copy', () => ask("SELECT pg_drop_replication_slot('a_copy')")],
  ])
  const seen: string[] = []
  await shrinkDatabase(
    database,
    (progress) => {
      const text = 'part' in progress ? progress.part : progress.waitsFor
      const [holder, end] = ends.entries().find(([name]) => text.startsWith(name)) ?? [text]
      if (!seen.includes(holder)) void end?.()
      seen.push(holder)
    },
    signal,
  )
  await writer.end()
  const at = [...ends.keys(), 'positions_default', 'pg_statistic'].map((each) => seen.indexOf(each))
  const [session, transfer, slot, positions, samples] = at as [
    number,
    number,
    number,
    number,
    number,
  ]
  assert.ok(session >= 0 && session < positions && transfer >= 0 && transfer < positions, `${seen}`)
  assert.ok(samples > positions && slot > samples, `${seen}`)
})
