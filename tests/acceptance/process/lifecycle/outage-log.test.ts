import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startPostgres } from '../../../../packages/server/testing/servers/postgres.ts'
import { startRedis } from '../../../../packages/server/testing/servers/redis.ts'
import { ADMIN, operatorBy, setUp } from '../../harness/admin.ts'
import { request } from '../../harness/client.ts'
import { type Deployment, isEmbedded } from '../../harness/deployment.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { makeFleet } from '../../harness/make-fleet.ts'
import { organizationOf } from '../../harness/organization.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'

const skip = isEmbedded ? 'it is about servers' : false
const REQUESTS = 30

const isFailure = ({ level }: Json) => level === 50
const isOver = ({ part, down_ms }: Json) => part === 'store' && down_ms !== undefined

async function failuresOf({ admin }: ServerProcess): Promise<Record<string, number>> {
  const { text } = await request(admin, '/metrics')
  const series = text.matchAll(
    /^fleetgate_outage_failures_total\{part="store",failed="(\w+)"\} (\d+)$/gm,
  )
  return Object.fromEntries(Array.from(series, ([, failed, count]) => [failed, Number(count)]))
}

describe('A database that goes away', { skip }, () => {
  it('is one line of the log, a count, and a line when it is back', async () => {
    const [postgres, redis] = await Promise.all([startPostgres({}), startRedis()])
    after(() => Promise.all([postgres.stop(), redis.stop()]))
    const deployment: Deployment = {
      args: ['--database', await postgres.database()],
      serveArgs: ['--redis', `${redis.url}?timeout=10000`],
      folder: undefined,
      database: undefined,
    }
    const [record] = await makeFleet(deployment, { full: 0, plain: 1 })
    const server = await serve(deployment, ['--geocoder', 'off'])
    after(() => server.stop())
    const organization = organizationOf(record!, () => server.api)
    const operator = operatorBy(() => server.admin, { cookie: await setUp(server) })
    const before = server.log.length

    await postgres.halt('immediate')
    const path = `/objects/${organization.objects.van}/positions?from_time=2025-03-03&to_time=2025-03-04`
    const headers = { 'x-feed-token': organization.feedToken }
    const packet = JSON.stringify([
      { ident: 'any', time_device: '2026-01-01T00:00:00Z', latitude: 1, longitude: 1 },
    ])
    for (let count = 0; count < 8; count += 1) {
      assert.equal((await organization.get(path)).status, 503)
    }
    for (let count = 8; count < REQUESTS; count += 2) {
      const sent = { method: 'POST', headers, body: packet }
      assert.equal((await request(server.feed, '/feed/v1/positions', sent)).status, 503)
      assert.equal((await operator.ask('GET', '/organizations')).status, 503)
    }
    await postgres.start()
    const { requests, tasks, down_ms, level } = await server.logged(isOver)
    const failures = server.log.slice(before).filter(isFailure)
    assert.deepEqual(
      failures.map(({ part }) => part),
      ['store'],
      JSON.stringify(failures),
    )
    assert.match(failures[0].msg, /^The store cannot answer: .* Check the database /)
    assert.equal(level, 30)
    assert.ok(down_ms > 0)
    assert.ok(requests >= REQUESTS, `${requests}`)
    // Records and webhooks try again while it is down.
    assert.ok(tasks >= 1, `${tasks}`)
    assert.deepEqual(await failuresOf(server), { requests, tasks })
    assert.equal((await organization.get('/objects')).status, 200)
    assert.equal((await request(server.admin, `${ADMIN}/session`)).status < 500, true)
  })
})
