import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../../acceptance/harness/client.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { type Organization, organizationOf } from '../../acceptance/harness/organization.ts'
import { serve } from '../../acceptance/harness/server.ts'
import { momentsOf, steadyFeed } from '../../acceptance/harness/steady-feed.ts'
import type { Course, CourseOptions } from './course.ts'
import { feedInto } from './feed.ts'
import { killPostgres } from './killed-postgres.ts'
import { settleOrganizations } from './settle-organizations.ts'
import { shareDeployment } from './shared-deployment.ts'

const PATIENCE_MS = 60_000
const READS_BACK_MS = 5_000
const LOAD_MS = 400

/** A server on PostgreSQL and Redis that receives positions. */
export async function feedIntoPostgres(options: CourseOptions): Promise<Course> {
  const shared = await shareDeployment()
  const course = await feedInto(shared.deployment, options, shared.forgetWindows)
  return {
    ...course,
    async close() {
      await course.close()
      await shared.stop()
    },
  }
}

/** PostgreSQL itself, under a server that keeps running. */
export async function postgresItself(options: CourseOptions): Promise<Course> {
  const { random, tally } = options
  const shared = await shareDeployment()
  const { deployment, forgetWindows, stop } = shared
  const records = await settleOrganizations(deployment, 4)
  const server = await serve(deployment, ['--geocoder', 'off'])
  const organizations = records.map((record) => organizationOf(record, () => server.api))
  const feed = steadyFeed(() => server.feed, organizations)
  let killed = 0

  /** Waits until the repeated packets are accepted. */
  async function untilFed(): Promise<void> {
    const before = new Map(feed.acknowledged)
    const giveUpAt = performance.now() + PATIENCE_MS
    while (organizations.some(({ id }) => feed.acknowledged.get(id) === before.get(id))) {
      assert.ok(performance.now() < giveUpAt, 'nothing is stored any more')
      await wait(5)
    }
  }

  async function assertStored(): Promise<void> {
    await forgetWindows()
    for (const organization of organizations) {
      const { truck } = organization.objects
      const acknowledged = feed.acknowledged.get(organization.id)!
      const range = 'from_time=2025-05-01&to_time=2025-12-31'
      const rows = resultOf(await answered(organization, `/objects/${truck}/positions?${range}`))
      const times: string[] = rows.map((row: { time_device: string }) => row.time_device)
      assert.ok(times.length >= acknowledged, `${acknowledged} acknowledged, ${times.length} stand`)
      assert.deepEqual(times, momentsOf(times.length))
    }
  }

  return {
    async kill() {
      await untilFed()
      await wait(random.between(0, LOAD_MS))
      const killedAt = performance.now()
      await killPostgres(shared, random)
      tally.kills += 1
      killed += 1
      await untilFed()
      tally.recoveriesMs.push(performance.now() - killedAt)
      assert.deepEqual(
        feed.refusals.flatMap(({ fault }) => fault ?? []),
        [],
      )
      await assertStored()
    },
    async finish() {
      const acknowledged = [...feed.acknowledged.values()].reduce((sum, each) => sum + each, 0)
      return {
        'kills of PostgreSQL': killed,
        'rows acknowledged': acknowledged,
        'requests refused with 503 and sent again': feed.refusals.length,
      }
    },
    async close() {
      await feed.stop()
      await server.stop()
      await stop()
    },
  }
}

/** The next request on a connection that ended with PostgreSQL finds it closed: 503, then 200. */
async function answered(organization: Organization, path: string): Promise<Answer> {
  const giveUpAt = performance.now() + READS_BACK_MS
  for (;;) {
    const answer = await organization.get(path)
    if (answer.status !== 503 || performance.now() > giveUpAt) return answer
    await wait(organization.untilRoom())
  }
}
