import { setTimeout as wait } from 'node:timers/promises'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { Course, CourseOptions } from '../kills/course.ts'
import { shareDeployment } from '../kills/shared-deployment.ts'
import { followFleets } from './followed-fleets.ts'
import { killPostgres } from './killed-postgres.ts'

const LOAD_MS = 400
/** The share of kills of Redis. */
const PART_REDIS = 0.15

/** PostgreSQL and Redis themselves, under a server that keeps running. */
export async function sharedServers(options: CourseOptions): Promise<Course> {
  const { random, tally } = options
  const shared = await shareDeployment()
  const { deployment, redis, forgetWindows } = shared
  let server: ServerProcess | undefined
  const fleets = await followFleets(deployment, {
    api: () => server!.api,
    feed: () => server!.feed,
  })
  server = await serve(deployment, ['--geocoder', 'off'])
  await fleets.begin()
  const killed = { postgres: 0, redis: 0 }
  return {
    async kill() {
      await wait(random.between(0, LOAD_MS))
      const killedAt = performance.now()
      tally.kills += 1
      if (random.chance(PART_REDIS)) {
        killed.redis += 1
        await redis.kill()
        await redis.start()
      } else {
        killed.postgres += 1
        await killPostgres(shared, random)
        await forgetWindows()
      }
      await fleets.goOn().catch((cause) => {
        const { pid, log, stderr } = server!
        const failures = log.filter(({ err }) => err !== undefined).slice(-2)
        const seen = `server ${pid}: ${stderr().slice(-500)} ${JSON.stringify(failures)}`
        throw new Error(`${cause}; ${seen}`, { cause })
      })
      if (killed.postgres > 0) tally.recoveriesMs.push(performance.now() - killedAt)
    },
    async finish() {
      return {
        'kills of PostgreSQL': killed.postgres,
        'kills of Redis': killed.redis,
        ...(await fleets.finish(forgetWindows)),
      }
    },
    async close() {
      await fleets.stop()
      await server.stop()
      await shared.stop()
    },
  }
}
