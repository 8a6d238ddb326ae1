import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { quotaLoad } from '../../acceptance/harness/quota-load.ts'
import type { Course, CourseOptions } from './course.ts'
import { killableServer } from './killable-server.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'

const QUOTA = 1_000_000
const ORGANIZATIONS = 8
/** One for all that is charged in a turn: from the first answers to after the last. */
const WRITES = 12

/** A server whose callers are charged for what they ask. */
export async function quotaCharges(options: CourseOptions): Promise<Course> {
  const data = join(options.folder, 'data')
  const deployment = inFolder(data)
  const limited = ['--daily-quota', String(QUOTA)]
  const records = await settleOrganizations(deployment, ORGANIZATIONS, ...limited)
  const server = await killableServer(deployment, options)
  const loads = records.map((record) =>
    quotaLoad(
      organizationOf(record, () => server.now.api),
      QUOTA,
    ),
  )
  return {
    async kill() {
      const running = Promise.all(loads.map((load) => load.run()))
      await anyMoment({ folder: data, file: 'quota.journal', most: WRITES }, options)
      await Promise.all([server.kill(), running])
      await Promise.all(loads.map((load) => load.assertCharged()))
    },
    async finish() {
      await server.replace()
      await Promise.all(loads.map((load) => load.assertCharged()))
      const counts = loads.map((load) => load.counts())
      const answered = counts.reduce((sum, each) => sum + each.answered, 0)
      const sent = counts.reduce((sum, each) => sum + each.sent, 0)
      return { 'charges answered': answered, 'sent without an answer': sent - answered }
    },
    close: () => server.stop(),
  }
}
