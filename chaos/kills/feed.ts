import { setTimeout as wait } from 'node:timers/promises'
import { feedLoad } from '../../acceptance/harness/feed-load.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { senderTo } from '../../acceptance/harness/sender.ts'
import {
  assertEraAndRepeat,
  assertSettled,
  judgedBy,
} from '../../acceptance/harness/settled-feed.ts'
import type { Course, CourseOptions } from './course.ts'
import { killableServer } from './killable-server.ts'
import { settleOrganizations } from './settle-organizations.ts'
import { shareDeployment } from './shared-deployment.ts'

/** The longest time under load before a kill. */
const LOAD_MS = 300

/** A server on PostgreSQL and Redis that receives batches and single packets, in time and late. */
export async function feedIntoPostgres(options: CourseOptions): Promise<Course> {
  const { deployment, forgetWindows, stop } = await shareDeployment()
  const records = await settleOrganizations(deployment, 3, '--create-objects')
  const server = await killableServer(deployment, options, forgetWindows)
  const senders = records.map((record) =>
    senderTo(
      organizationOf(record, () => server.now.api),
      () => server.now.feed,
    ),
  )
  const judge = senders.pop()!
  const loads = senders.map((sender, number) => feedLoad(sender, `bus-${number}`))
  let era = 0
  return {
    async kill() {
      const before = loads.map(({ sent }) => sent.length)
      const running = Promise.all(loads.map((load) => load.run(era)))
      await wait(options.random.between(0, LOAD_MS))
      await Promise.all([server.kill(), running])
      await Promise.all(loads.map((load, i) => assertEraAndRepeat(load, era, before[i]!)))
      era += 1
    },
    async finish() {
      await server.replace()
      const judged = await judgedBy(judge, loads)
      for (const load of loads) await assertSettled(load, judged)
      const sent = loads.flatMap((load) => load.sent)
      const acknowledged = sent.filter((each) => each.acknowledged).length
      return {
        'rows acknowledged': acknowledged,
        'rows sent without an answer': sent.length - acknowledged,
      }
    },
    async close() {
      await server.stop()
      await stop()
    },
  }
}
