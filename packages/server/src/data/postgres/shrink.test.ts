import assert from 'node:assert/strict'
import { it } from 'node:test'
import { askPostgres } from '../../../testing/servers/ask-postgres.ts'
import { emptyDatabase, isOnCitus } from '../../../testing/servers/shared-postgres.ts'
import { append, fixAt, NOW, newFleet } from '../../../testing/store-contract/fixture.ts'
import { openPostgresStore } from './open.ts'
import { shrinkDatabase } from './shrink.ts'

const ROLE = 'shrinks_alone'

it('A role that owns its database shrinks it, and says that it may not clear the log', {
  skip: isOnCitus && 'it makes a role on one server',
}, async () => {
  const database = await emptyDatabase()
  const name = new URL(database).pathname.slice(1)
  const exists = `EXISTS (SELECT FROM pg_roles WHERE rolname = '${ROLE}')`
  await askPostgres(
    database,
    `DO $$ BEGIN IF NOT ${exists} THEN CREATE ROLE ${ROLE} LOGIN; END IF; END $$`,
  )
  await askPostgres(database, `ALTER DATABASE ${name} OWNER TO ${ROLE}`)
  const own = Object.assign(new URL(database), { username: ROLE }).href
  const store = await openPostgresStore(own)
  const { organization, object } = await newFleet(store)
  const fixes = Array.from({ length: 5_000 }, (_, index) => fixAt(NOW + index * 1_000))
  await append(store, organization, object, fixes)
  await store.objects.delete(organization, object)
  await store.positions.makeRoom(NOW, new AbortController().signal)
  await store.close()
  const parts: string[] = []
  const { signal } = new AbortController()
  const shrunk = await shrinkDatabase(own, ({ part }) => parts.push(part), signal)
  assert.deepEqual([shrunk.log, shrunk.skipped], ['not_allowed', []])
  assert.ok(shrunk.after < shrunk.before, `${shrunk.before} to ${shrunk.after} bytes`)
  assert.ok(parts.includes('positions_default') && parts.at(-1) === 'pg_statistic', `${parts}`)
  await assert.rejects(
    shrinkDatabase(own, () => {}, AbortSignal.abort()),
    /stopped before the end/,
  )
})
