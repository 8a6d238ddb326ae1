import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { quotaLoad } from '../../acceptance/harness/quota-load.ts'
import { senderTo } from '../../acceptance/harness/sender.ts'
import { jsonHere } from '../../packages/server/src/cli/run-here.ts'
import type { Course, CourseOptions } from './course.ts'
import { killableServer } from './killable-server.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'

const QUOTA = 1_000_000
const ORGANIZATIONS = 8
/** One write for all charges of a turn: kills come from the first answers to after the last. */
const WRITES = 12

/** A server whose callers are charged for requests, in units and in hundredths of one. */
export async function quotaCharges(options: CourseOptions): Promise<Course> {
  const data = join(options.folder, 'data')
  const deployment = inFolder(data)
  const limited = ['--daily-quota', String(QUOTA)]
  const records = await settleOrganizations(deployment, ORGANIZATIONS, ...limited)
  const server = await killableServer(deployment, options)
  const loads = records.map((record) =>
    quotaLoad(
      senderTo(
        organizationOf(record, () => server.now.api),
        () => server.now.feed,
      ),
      QUOTA,
    ),
  )
  await Promise.all(loads.map((load) => load.prepare()))
  return {
    async kill() {
      const running = Promise.all(loads.map((load) => load.run()))
      await anyMoment({ folder: data, file: 'quota.journal', most: WRITES }, options)
      await Promise.all([server.kill(), running])
      await Promise.all(loads.map((load) => load.assertCharged()))
    },
    async finish() {
      await server.replace()
      for (const [i, load] of loads.entries()) {
        await load.assertExactlyCharged(async (units) => {
          const quota = ['--daily-quota', String(units)]
          await jsonHere(['org', 'update', String(records[i]!.id), ...quota, ...deployment.args])
        })
      }
      const counts = loads.map((load) => load.counts())
      const answered = counts.reduce((sum, each) => sum + each.answered, 0)
      const sent = counts.reduce((sum, each) => sum + each.sent, 0)
      return { 'hundredths answered': answered, 'sent without an answer': sent - answered }
    },
    close: () => server.stop(),
  }
}
