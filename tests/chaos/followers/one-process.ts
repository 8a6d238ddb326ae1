import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import type { Course, CourseOptions } from '../kills/course.ts'
import { type KillableServer, killableServer } from '../kills/killable-server.ts'
import { anyMoment } from '../kills/moment.ts'
import { followFleets } from './followed-fleets.ts'

/** Log writes of a server under load until the kill, at most. */
const WRITES = 60

/** The one process of a data folder, which takes packets and answers followers. */
export async function oneProcess(options: CourseOptions): Promise<Course> {
  const folder = join(options.folder, 'data')
  const deployment = inFolder(folder)
  let server: KillableServer | undefined
  const addresses = { api: () => server!.now.api, feed: () => server!.now.feed }
  const fleets = await followFleets(deployment, addresses)
  const running = await killableServer(deployment, options)
  server = running
  await fleets.begin()
  return {
    async kill() {
      await anyMoment({ folder, file: 'fleetgate.db-wal', most: WRITES }, options)
      await running.kill()
      await fleets.goOn()
    },
    async finish() {
      return fleets.finish(running.replace)
    },
    async close() {
      await fleets.stop()
      await running.stop()
    },
  }
}
