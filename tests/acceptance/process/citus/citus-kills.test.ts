import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Citus, startCitus } from '../../../../packages/server/testing/servers/citus.ts'
import { redisUrl } from '../../../../packages/server/testing/servers/shared-redis.ts'
import { skipCitusTrial } from '../../harness/citus-trial.ts'
import { request } from '../../harness/client.ts'
import type { Deployment } from '../../harness/deployment.ts'
import type { FleetOrganization } from '../../harness/fleet.ts'
import { fleetgate } from '../../harness/fleetgate.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { makeFleet } from '../../harness/make-fleet.ts'
import { organizationOf, PREFIX } from '../../harness/organization.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'
import { momentsOf, type SteadyFeed, steadyFeed } from '../../harness/steady-feed.ts'
import { type Asked, figuresOf, type Load, steadyLoad } from '../../harness/steady-load.ts'

/** A worker of Citus is killed under load, and another is added. `npm run acceptance:citus-kills`. */
const ORGANIZATIONS = 8
const STEADY_MS = 5_000
const DOWN_MS = 30_000
const BACK_MS = 5_000
const PLAIN = ['--geocoder', 'off']

describe('A Citus under load', { skip: skipCitusTrial ?? false }, () => {
  let citus: Citus
  let database: string
  let deployment: Deployment
  let server: ServerProcess
  let organizations: FleetOrganization[]
  /** The port of the worker of each organization. */
  const workers = new Map<number, string>()
  let load: Load
  let feed: SteadyFeed

  before(async () => {
    if (skipCitusTrial !== undefined) return
    citus = await startCitus()
    database = await citus.database()
    const serveArgs = ['--redis', await redisUrl()]
    deployment = { args: ['--database', database], serveArgs, folder: undefined, database }
    const records = await makeFleet(deployment, { full: 0, plain: ORGANIZATIONS })
    for (const { id } of records) workers.set(id, await workerOf(id))
    server = await serve(deployment, PLAIN)
    organizations = records.map((record) => organizationOf(record, () => server.api))
    load = steadyLoad(
      () => [server.api],
      organizations,
      () => false,
    )
    feed = steadyFeed(() => server.feed, organizations)
  })

  after(async () => {
    await Promise.all([load?.stop(), feed?.stop()])
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

  /** The requests of this time, and the refused packets as requests of theirs. */
  function between(from: number, to = Number.POSITIVE_INFINITY) {
    const refused = feed.refusals.map(({ at, ...refusal }) => ({ ...refusal, sentAt: at }))
    return [...load.asked, ...refused].filter(({ sentAt }) => sentAt >= from && sentAt < to)
  }

  function figures(all: readonly object[]): string {
    return JSON.stringify(figuresOf(all.filter((each): each is Asked => 'operation' in each)))
  }

  /** While a worker is down, another process starts and answers, and `status` names the worker. */
  async function startAnother({ key, objects }: FleetOrganization): Promise<void> {
    const { code, stdout } = await fleetgate(['status', '--json', '--database', database])
    assert.equal(code, 1)
    assert.match(String(JSON.parse(stdout).problems), /The Citus server .* does not answer/)
    const another = await serve(deployment, PLAIN)
    try {
      const headers = { 'x-api-key': key }
      const path = `${PREFIX}/objects/${objects.van}`
      assert.equal((await request(another.api, path, { headers })).status, 200)
    } finally {
      await another.stop()
    }
  }

  async function assertStored(): Promise<number> {
    const acknowledged = new Map(feed.acknowledged)
    for (const { id, objects } of organizations) {
      const { rows } = await inDatabase(database, (client) =>
        client.query(
          'SELECT time_device AS time FROM positions WHERE organization = $1 AND object = $2',
          [id, objects.truck],
        ),
      )
      const found = new Set(rows.map(({ time }) => new Date(Number(time)).toISOString()))
      const lost = momentsOf(acknowledged.get(id)!).filter((time) => !found.has(time))
      assert.deepEqual(lost, [], `of ${id}`)
    }
    return acknowledged.values().reduce((sum, count) => sum + count, 0)
  }

  it('serves the organizations of a worker while the other is down', async (t) => {
    await wait(STEADY_MS)
    const downAt = performance.now()
    await citus.kill(0)
    const gone = new URL(citus.workerUrls[0]!).port
    const isAway = ({ organization }: { organization: number }) =>
      workers.get(organization) === gone
    const served = organizations.find(({ id }) => workers.get(id) !== gone)
    await Promise.all([wait(DOWN_MS), startAnother(served!)])
    await citus.start(0)
    const backAt = performance.now()
    await wait(BACK_MS + STEADY_MS)
    const [down, late] = [between(downAt, backAt), between(backAt)]
    const back = late.filter(({ status }) => status !== 200)
    const backMs = Math.max(0, ...back.map(({ sentAt }) => sentAt - backAt))
    t.diagnostic(`before: ${figures(between(0, downAt))}`)
    t.diagnostic(`of the other worker: ${figures(down.filter((each) => !isAway(each)))}`)
    t.diagnostic(`of the killed worker: ${figures(down.filter(isAway))}`)
    t.diagnostic(`whole again ${Math.round(backMs)} ms after its return`)
    const refused = between(0).filter(({ status }) => status !== 200)
    assert.deepEqual(
      refused.filter((each) => !isAway(each) || each.status !== 503),
      [],
    )
    assert.ok(down.filter(isAway).some(({ status }) => status === 503))
    assert.ok(backMs <= BACK_MS, `${backMs} ms`)
    t.diagnostic(`${await assertStored()} acknowledged rows are there`)
  })

  it('serves while a third worker gets shards', async (t) => {
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
    t.diagnostic(`afterwards: ${figures(between(doneAt))}`)
    assert.ok(Number(rows[0].count) > 0)
    assert.deepEqual(
      between(beganAt).filter(({ status }) => status !== 200),
      [],
    )
    t.diagnostic(`${await assertStored()} acknowledged rows are there`)
  })
})
