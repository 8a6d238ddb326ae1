import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Deployment, inFolder } from '../../acceptance/harness/deployment.ts'
import { type FeedLoad, feedLoad } from '../../acceptance/harness/feed-load.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { senderTo } from '../../acceptance/harness/sender.ts'
import {
  assertEraAndRepeat,
  assertSettled,
  judgedBy,
} from '../../acceptance/harness/settled-feed.ts'
import type { Course, CourseOptions } from './course.ts'
import { killableServer } from './killable-server.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'

/** Log writes of a server under load until the kill, at most. */
const WRITES = 400
/** The same in milliseconds, for deployments without a log file. */
const LOAD_MS = 300

/** A server with a data folder that receives batches and single packets, in time and late. */
export function feedIntoFolder(options: CourseOptions): Promise<Course> {
  return feedInto(inFolder(join(options.folder, 'data')), options)
}

/** `forget` clears the rate windows before the next server, if they outlive the previous one. */
export async function feedInto(
  deployment: Deployment,
  options: CourseOptions,
  forget?: (organizations: readonly number[]) => Promise<void>,
): Promise<Course> {
  const records = await settleOrganizations(deployment, 3, '--create-objects')
  const server = await killableServer(deployment, options, async () =>
    forget?.(records.map(({ id }) => id)),
  )
  const senders = records.map((record) =>
    senderTo(
      organizationOf(record, () => server.now.api),
      () => server.now.feed,
    ),
  )
  const judge = senders.pop()!
  const loads = senders.map((sender, number) => feedLoad(sender, `bus-${number}`))
  let era = 0

  function moment(): Promise<void> {
    const { folder } = deployment
    if (folder === undefined) return wait(options.random.between(0, LOAD_MS))
    return anyMoment({ folder, file: 'fleetgate.db-wal', most: WRITES }, options)
  }

  async function killOnce(): Promise<void> {
    const before = loads.map(({ sent }) => sent.length)
    const running = Promise.all(loads.map((load) => load.run(era)))
    await moment()
    await Promise.all([server.kill(), running])
    await Promise.all(loads.map((load, i) => assertEraAndRepeat(load, era, before[i]!)))
    era += 1
  }

  return {
    kill: killOnce,
    async finish() {
      await server.replace()
      const judged = await judgedBy(judge, loads)
      for (const load of loads) await assertSettled(load, judged)
      return countsOf(loads)
    },
    close: () => server.stop(),
  }
}

function countsOf(loads: FeedLoad[]): Record<string, number> {
  const sent = loads.flatMap((load) => load.sent)
  const acknowledged = sent.filter((each) => each.acknowledged).length
  return {
    'rows acknowledged': acknowledged,
    'rows sent without an answer': sent.length - acknowledged,
  }
}
