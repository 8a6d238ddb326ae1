import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  asPostgres,
  type Citus,
  startCitus,
} from '../../../../packages/server/testing/servers/citus.ts'
import { type RedisServer, startRedis } from '../../../../packages/server/testing/servers/redis.ts'
import { skipCitusTrial } from '../../harness/citus-trial.ts'
import type { Deployment } from '../../harness/deployment.ts'
import { assertRefused, resultOf } from '../../harness/envelope.ts'
import type { FleetOrganization } from '../../harness/fleet.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { makeFleet } from '../../harness/make-fleet.ts'
import { organizationOf } from '../../harness/organization.ts'
import { senderTo } from '../../harness/sender.ts'
import { historyOf } from '../../harness/sent-fix.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'
import { momentsOf, type SteadyFeed, steadyFeed } from '../../harness/steady-feed.ts'

/**
 * A Citus is backed up under load and restored to one moment, by the steps of docs/operating/citus.md.
 * `npm run acceptance:citus-kills`.
 */
const ORGANIZATIONS = 8
const STEADY_MS = 3_000
const MOMENT = 'before-upgrade'
const PLAIN = ['--geocoder', 'off']

describe('A backup of a Citus', { skip: skipCitusTrial ?? false }, () => {
  let citus: Citus
  let redis: RedisServer
  let deployment: Deployment
  let server: ServerProcess
  let organizations: FleetOrganization[]
  let feed: SteadyFeed

  before(async () => {
    if (skipCitusTrial !== undefined) return
    ;[citus, redis] = await Promise.all([startCitus(), startRedis()])
    const database = await citus.database()
    const serveArgs = ['--redis', redis.url]
    deployment = { args: ['--database', database], serveArgs, folder: undefined, database }
    const records = await makeFleet(deployment, { full: 0, plain: ORGANIZATIONS })
    organizations = records.map((record) => organizationOf(record, () => server.api))
  })
  after(async () => {
    await feed?.stop()
    await server?.stop()
    await Promise.all([citus?.stop(), redis?.stop()])
  })

  const archiveOf = (data: string) => join(dirname(data), 'archive', data.split('/').at(-1)!)
  const baseOf = (data: string) => `${data}.base`
  const urlOf = (node: number) => [citus.url, ...citus.workerUrls][node]!

  async function archive(): Promise<void> {
    for (const data of citus.dataFolders) {
      const to = archiveOf(data)
      mkdirSync(to, { recursive: true })
      chmodSync(to, 0o777)
      const command = `test ! -f ${to}/%f && cp %p ${to}/%f`
      appendFileSync(
        join(data, 'postgresql.conf'),
        `archive_mode = on\narchive_command = '${command}'\n`,
      )
      await asPostgres('pg_ctl', '-D', data, '-l', `${data}.log`, '-w', '-m', 'fast', 'restart')
    }
  }

  async function backUp(): Promise<void> {
    for (const [node, data] of citus.dataFolders.entries()) {
      const { hostname, port } = new URL(urlOf(node))
      const from = ['-h', hostname, '-p', port, '-U', 'postgres']
      await asPostgres('pg_basebackup', ...from, '-D', baseOf(data), '-c', 'fast')
    }
  }

  /** Returns the rows that were acknowledged before the moment. */
  async function makeMoment(): Promise<Map<number, number>> {
    const acknowledged = new Map(feed.acknowledged)
    await inDatabase(deployment.database!, (client) =>
      client.query('SELECT citus_create_restore_point($1)', [MOMENT]),
    )
    return acknowledged
  }

  async function restore(): Promise<void> {
    for (const data of citus.dataFolders)
      await asPostgres('pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop')
    for (const data of citus.dataFolders.toReversed()) {
      renameSync(data, `${data}.broken`)
      renameSync(baseOf(data), data)
      appendFileSync(
        join(data, 'postgresql.conf'),
        `restore_command = 'cp ${archiveOf(data)}/%f %p'
        recovery_target_name = '${MOMENT}'
        recovery_target_action = 'promote'\n`,
      )
      writeFileSync(join(data, 'recovery.signal'), '')
      await asPostgres('pg_ctl', '-D', data, '-l', `${data}.log`, '-w', 'start')
    }
  }

  it('is restored to one moment of all servers', async (t) => {
    await archive()
    server = await serve(deployment, PLAIN)
    feed = steadyFeed(() => server.feed, organizations)
    await wait(STEADY_MS)
    await backUp()
    await wait(STEADY_MS)
    const before = await makeMoment()
    const after = new Map(feed.acknowledged)
    await wait(STEADY_MS)
    await feed.stop()
    const [follower] = organizations
    const { cursor } = resultOf(await follower!.get('/changes?from=now'))
    assert.equal(await server.stop(), 0)
    const last = new Map(feed.acknowledged)
    for (const node of citus.dataFolders.keys())
      await inDatabase(urlOf(node), (client) => client.query('SELECT pg_switch_wal()'))
    const beganAt = performance.now()
    await restore()
    t.diagnostic(`restored in ${Math.round(performance.now() - beganAt)} ms`)
    await redis.client().flushall()
    server = await serve(deployment, PLAIN)
    assertRefused(await follower!.get(`/changes?cursor=${cursor}`), 410, 'PUBLIC.410_001')
    for (const organization of organizations) {
      const sender = senderTo(organization, () => server.feed)
      const rows = await historyOf(sender, organization.objects.truck)
      const times = rows.map(({ time_device }) => time_device).filter((time) => time >= '2025')
      assert.ok(times.length >= before.get(organization.id)!)
      assert.ok(times.length < last.get(organization.id)!)
      assert.deepEqual(times, momentsOf(times.length))
      t.diagnostic(
        `${organization.id}: ${before.get(organization.id)} to ${after.get(organization.id)} at the moment, ${times.length} restored, ${last.get(organization.id)} at the end`,
      )
    }
  })
})
