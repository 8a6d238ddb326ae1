import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type PostgresServer,
  startPostgres,
} from '../../../packages/server/testing/servers/postgres.ts'
import { redisUrl } from '../../../packages/server/testing/servers/shared-redis.ts'
import { request } from '../../harness/client.ts'
import { type Deployment, KIND } from '../../harness/deployment.ts'
import { fleetgateJson } from '../../harness/fleetgate.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { serve } from '../../harness/server.ts'

const BATCHES = 40
const ROWS = 5
const START = Date.parse('2026-11-20T00:00:00Z')

/**
 * The least careful settings that an operator can choose: PostgreSQL writes a commit up to 10 s after confirming
 * it.
 */
const CARELESS = { fsync: 'on', full_page_writes: 'on', wal_writer_delay: '10s' }

describe('Acknowledged positions after a crash of PostgreSQL', {
  skip: KIND === 'postgres-redis' ? false : 'it is about PostgreSQL',
}, () => {
  let postgres: PostgresServer
  before(async () => {
    postgres = await startPostgres(CARELESS)
  })
  after(() => postgres.stop())

  it('survive with synchronous_commit = off', async () => {
    const database = await postgres.database()
    const name = new URL(database).pathname.slice(1)
    await inDatabase(database, (client) =>
      client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`),
    )
    const place = ['--database', database]
    const { id } = await fleetgateJson([
      ...['org', 'create', '--name', 'Crashed', '--create-objects', ...place],
    ])
    const { token } = await fleetgateJson(['feed-token', 'issue', '--org', `${id}`, ...place])
    const redis = await redisUrl()
    const deployment: Deployment = {
      args: place,
      serveArgs: ['--redis', redis],
      folder: undefined,
      database,
    }
    const server = await serve(deployment, ['--geocoder', 'off'])
    try {
      for (let batch = 0; batch < BATCHES; batch++) {
        const body = JSON.stringify(rowsOf(batch))
        const headers = { 'x-feed-token': token }
        const { status } = await request(server.feed, '/feed/v1/positions', {
          ...{ method: 'POST', headers, body },
        })
        assert.equal(status, 200)
      }
      // Every process of PostgreSQL ends at once and writes nothing.
      await postgres.restart('immediate')
    } finally {
      await server.kill()
    }
    const stored = await inDatabase(database, async (client) => {
      const { rows } = await client.query('SELECT count(*)::int AS stored FROM positions')
      return rows[0].stored
    })
    assert.equal(stored, BATCHES * ROWS, `${stored / ROWS} of ${BATCHES} batches are there`)
  })
})

function rowsOf(batch: number) {
  return Array.from({ length: ROWS }, (_, row) => ({
    ident: `van-${row}`,
    time_device: START + batch * 10_000,
    latitude: 41 + batch / 1_000,
    longitude: 2,
    speed: 30,
  }))
}
