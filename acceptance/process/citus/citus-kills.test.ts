import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Citus, startCitus } from '../../../packages/server/testing/servers/citus.ts'
import { redisUrl } from '../../../packages/server/testing/servers/shared-redis.ts'
import { skipCitusTrial } from '../../harness/citus-trial.ts'
import { request } from '../../harness/client.ts'
import { fleetgate, fleetgateJson } from '../../harness/fleetgate.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'

/** A worker of Citus is killed under load, and another is added. `npm run acceptance:citus-kills`. */
const ORGANIZATIONS = 8
const STEADY_MS = 5_000
const DOWN_MS = 30_000
const BACK_MS = 5_000
const FEED_EVERY_MS = 100
const READ_EVERY_MS = 1_200
const ROWS = 5
const FIRST = Date.parse('2026-11-20T00:00:00Z')

type Owner = {
  id: number
  key: string
  token: string
  worker: string
  object: number
  packets: number
}
type Asked = { owner: Owner; what: string; status: number; sentAt: number; tookMs: number }

describe('A Citus under load', { skip: skipCitusTrial ?? false }, () => {
  let citus: Citus
  let database: string
  let server: ServerProcess
  let owners: Owner[]
  const asked: Asked[] = []
  /** The acknowledged moments of each organization. */
  const stored = new Map<Owner, number[]>()
  const ending = new AbortController()
  let load: Promise<unknown>

  before(async () => {
    if (skipCitusTrial !== undefined) return
    citus = await startCitus()
    database = await citus.database()
    const place = ['--database', database]
    owners = []
    for (let index = 0; index < ORGANIZATIONS; index += 1) {
      const made = ['org', 'create', '--name', `${index}`, '--create-objects', ...place]
      const { id } = await fleetgateJson(made)
      const { key } = await fleetgateJson(['key', 'issue', '--org', `${id}`, ...place])
      const { token } = await fleetgateJson(['feed-token', 'issue', '--org', `${id}`, ...place])
      owners.push({ id, key, token, worker: await workerOf(id), object: 0, packets: 0 })
    }
    server = await startServer()
    for (const owner of owners) {
      assert.equal(await send(owner), 200)
      owner.object = (
        await inDatabase(database, (client) =>
          client.query('SELECT id FROM objects WHERE organization = $1', [owner.id]),
        )
      ).rows[0].id
    }
    load = Promise.all(owners.flatMap((owner) => [feed(owner), read(owner)]))
  })

  after(async () => {
    ending.abort()
    await load
    await server?.stop()
    await citus?.stop()
  })

  async function workerOf(id: number): Promise<string> {
    const { rows } = await inDatabase(database, (client) =>
      client.query(
        `SELECT nodeport::text AS port FROM citus_shards
        WHERE shardid = get_shard_id_for_distribution_column('sequences', $1::bigint)`,
        [id],
      ),
    )
    return rows[0].port
  }

  /** Every seventh batch is late. */
  async function send(owner: Owner): Promise<number> {
    const number = owner.packets++
    const base = FIRST + (number % 7 === 6 ? number - 4.5 : number) * ROWS * 1_000
    const times = Array.from({ length: ROWS }, (_, row) => base + row * 1_000)
    const rows = times.map((time, row) => ({
      ident: 'van',
      time_device: time,
      latitude: 30 + number / 1e4,
      longitude: row / 1e5,
    }))
    const headers = { 'x-feed-token': owner.token, 'content-type': 'application/json' }
    const body = JSON.stringify(rows)
    const status = await timed(owner, 'feed', () =>
      request(server.feed, '/feed/v1/positions', { method: 'POST', headers, body }),
    )
    if (status === 200) stored.set(owner, [...(stored.get(owner) ?? []), ...times])
    return status
  }

  async function timed(owner: Owner, what: string, ask: () => Promise<{ status: number }>) {
    const sentAt = performance.now()
    const { status } = await ask()
    asked.push({ owner, what, status, sentAt, tookMs: performance.now() - sentAt })
    return status
  }

  async function feed(owner: Owner): Promise<void> {
    while (!ending.signal.aborted) {
      await send(owner)
      await wait(FEED_EVERY_MS)
    }
  }

  async function read(owner: Owner): Promise<void> {
    const headers = { 'x-api-key': owner.key }
    const range = 'from_time=2026-11-20T00:00:00Z&to_time=2026-11-21T00:00:00Z'
    const paths = [
      `/objects/${owner.object}`,
      `/objects/${owner.object}/positions?${range}`,
      '/changes?from=now',
    ]
    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      const path = paths[turn % paths.length]!
      await timed(owner, path.split('?')[0]!.replace(/\d+/, '{id}'), () =>
        request(server.api, `/public/v1${path}`, { headers }),
      )
      await wait(READ_EVERY_MS)
    }
  }

  const between = (from: number, to: number) =>
    asked.filter(({ sentAt }) => sentAt >= from && sentAt < to)

  function figures(of: Asked[]) {
    const times = of.map(({ tookMs }) => tookMs).sort((one, other) => one - other)
    const statuses = Object.entries(Object.groupBy(of, ({ what, status }) => `${what} ${status}`))
    const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0)
    return JSON.stringify({
      ...Object.fromEntries(statuses.map(([name, each]) => [name, each!.length])),
      p50: at(0.5),
      p99: at(0.99),
      max: Math.round(times.at(-1) ?? 0),
    })
  }

  async function startServer(): Promise<ServerProcess> {
    const place = { args: ['--database', database], serveArgs: ['--redis', await redisUrl()] }
    return serve({ ...place, folder: undefined, database }, ['--geocoder', 'off'])
  }

  /** While a worker is down, another process starts and answers, and `status` tells of the worker. */
  async function startAnother({ key, object }: Owner): Promise<void> {
    const { code, stdout } = await fleetgate(['status', '--json', '--database', database])
    assert.equal(code, 1)
    assert.match(String(JSON.parse(stdout).problems), /The Citus server .* does not answer/)
    const another = await startServer()
    try {
      const headers = { 'x-api-key': key }
      const { status } = await request(another.api, `/public/v1/objects/${object}`, { headers })
      assert.equal(status, 200)
    } finally {
      await another.stop()
    }
  }

  async function assertStored(): Promise<number> {
    let count = 0
    for (const [owner, times] of stored) {
      const { rows } = await inDatabase(database, (client) =>
        client.query('SELECT time_device AS time FROM positions WHERE organization = $1', [
          owner.id,
        ]),
      )
      const found = new Set(rows.map(({ time }) => Number(time)))
      assert.deepEqual(
        times.filter((time) => !found.has(time)),
        [],
        `of ${owner.id}`,
      )
      count += times.length
    }
    return count
  }

  it('serves the organizations of a worker while the other is down', async (t) => {
    await wait(STEADY_MS)
    const downAt = performance.now()
    await citus.kill(0)
    const gone = new URL(citus.workerUrls[0]!).port
    await Promise.all([wait(DOWN_MS), startAnother(owners.find(({ worker }) => worker !== gone)!)])
    await citus.start(0)
    const backAt = performance.now()
    await wait(BACK_MS + STEADY_MS)
    const [there, away] = [
      asked.filter(({ owner }) => owner.worker !== gone),
      asked.filter(({ owner }) => owner.worker === gone),
    ]
    const during = (of: Asked[]) => of.filter(({ sentAt }) => sentAt >= downAt && sentAt < backAt)
    t.diagnostic(`before: ${figures(between(0, downAt))}`)
    t.diagnostic(`organizations of the other worker: ${figures(during(there))}`)
    t.diagnostic(`of the killed worker: ${figures(during(away))}`)
    const late = asked.filter(({ sentAt, status }) => sentAt >= backAt && status !== 200)
    const backMs = Math.max(0, ...late.map(({ sentAt, tookMs }) => sentAt + tookMs - backAt))
    t.diagnostic(`whole again ${Math.round(backMs)} ms after its return`)
    assert.deepEqual(
      there.filter(({ status }) => status !== 200).map(({ what, status }) => [what, status]),
      [],
    )
    assert.deepEqual(
      away.filter(({ status }) => status !== 200 && status !== 503),
      [],
    )
    assert.ok(during(away).some(({ status }) => status === 503))
    assert.ok(backMs <= BACK_MS, `${backMs} ms`)
    t.diagnostic(`${await assertStored()} acknowledged rows are there`)
  })

  it('goes on while a third worker gets shards', async (t) => {
    const beganAt = performance.now()
    const port = await citus.addWorker(database)
    const movedAt = performance.now()
    const { rows } = await inDatabase(database, async (client) => {
      await client.query(`SELECT rebalance_table_shards(shard_transfer_mode := 'block_writes')`)
      return client.query('SELECT count(*) FROM citus_shards WHERE nodeport = $1', [port])
    })
    const doneAt = performance.now()
    await wait(STEADY_MS)
    t.diagnostic(
      `started in ${Math.round(movedAt - beganAt)} ms, moved in ${Math.round(doneAt - movedAt)} ms`,
    )
    t.diagnostic(`while shards moved: ${figures(between(movedAt, doneAt))}`)
    t.diagnostic(`afterwards: ${figures(between(doneAt, Number.POSITIVE_INFINITY))}`)
    assert.ok(Number(rows[0].count) > 0)
    assert.deepEqual(
      asked.filter(({ sentAt, status }) => sentAt >= beganAt && status !== 200),
      [],
    )
    t.diagnostic(`${await assertStored()} acknowledged rows are there`)
  })
})
