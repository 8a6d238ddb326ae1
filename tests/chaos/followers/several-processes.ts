import { setTimeout as wait } from 'node:timers/promises'
import type { Course, CourseOptions } from '../kills/course.ts'
import { type KillableServer, killableServer } from '../kills/killable-server.ts'
import { shareDeployment } from '../kills/shared-deployment.ts'
import { followFleets } from './followed-fleets.ts'

const LOAD_MS = 400
/** The share of kills of the feed process. */
const PART_FEED = 0.75

/** A feed process and two API processes on PostgreSQL and Redis, one of which is killed at a time. */
export async function severalProcesses(options: CourseOptions): Promise<Course> {
  const { random } = options
  const shared = await shareDeployment()
  const { deployment, forgetWindows } = shared
  const start = (role: string) =>
    killableServer(deployment, options, forgetWindows, ['--role', role])
  let servers: { feed: KillableServer; apis: KillableServer[] } | undefined
  let requests = 0
  const fleets = await followFleets(deployment, {
    api() {
      const { apis } = servers!
      requests += 1
      return apis[requests % apis.length]!.now.api
    },
    feed: () => servers!.feed.now.feed,
  })
  const running = { feed: await start('feed'), apis: [await start('api'), await start('api')] }
  servers = running
  await fleets.begin()
  const killed = { feed: 0, api: 0 }
  return {
    async kill() {
      await wait(random.between(0, LOAD_MS))
      const role = random.chance(PART_FEED) ? 'feed' : 'api'
      killed[role] += 1
      await (role === 'feed' ? running.feed : random.pick(running.apis)).kill()
      await fleets.goOn()
    },
    async finish() {
      return {
        'kills of the feed process': killed.feed,
        'kills of an API process': killed.api,
        ...(await fleets.finish(forgetWindows)),
      }
    },
    async close() {
      await fleets.stop()
      await Promise.all([running.feed, ...running.apis].map((server) => server.stop()))
      await shared.stop()
    },
  }
}
