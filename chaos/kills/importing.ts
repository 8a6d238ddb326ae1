import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { killedImport } from '../../acceptance/harness/killed-import.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Course, CourseOptions } from './course.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'

/** Fewer rows allow more kills in an hour; this number still takes several transactions. */
const ROWS = 8_000
const WRITES = 1_500

/** `fleetgate import positions` beside a server that reads. */
export async function importing(options: CourseOptions): Promise<Course> {
  const { folder, tally } = options
  const data = join(folder, 'data')
  const deployment = inFolder(data)
  const records = await settleOrganizations(deployment, 6)
  const server = await serve(deployment, ['--geocoder', 'off'])
  const organizations = records.map((record) => organizationOf(record, () => server.api))
  const imports = killedImport(deployment, organizations, ROWS)
  const writes = { folder: data, file: 'fleetgate.db-wal', most: WRITES }
  let number = 0
  return {
    async kill() {
      // An import that ended before its moment was not killed.
      for (let isKilled = false; !isKilled; number += 1) {
        isKilled = await imports.kill(number, () => anyMoment(writes, options))
      }
      tally.kills += 1
      tally.integrityChecks += 1
    },
    async finish() {
      return { 'rows imported': number * ROWS }
    },
    async close() {
      await server.stop()
    },
  }
}
