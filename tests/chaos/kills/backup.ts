import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { serve } from '../../acceptance/harness/server.ts'
import { steadyFeed } from '../../acceptance/harness/steady-feed.ts'
import type { Course, CourseOptions } from './course.ts'
import { killedCommand } from './killed-command.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'

/** Writes to the copy; a backup of a small database takes a few more. */
const WRITES = 100
const QUOTA = 1_000_000

/** `fleetgate backup` next to a server that receives positions. */
export async function backups(options: CourseOptions): Promise<Course> {
  const { folder, tally } = options
  const deployment = inFolder(join(folder, 'data'))
  const records = await settleOrganizations(deployment, 2, '--daily-quota', String(QUOTA))
  const server = await serve(deployment, ['--geocoder', 'off'])
  const organizations = records.map((record) => organizationOf(record, () => server.api))
  // Creates a quota journal, which the backup must copy.
  for (const organization of organizations) {
    await organization.get(`/positions/latest?ids=${organization.objects.van}`)
  }
  const feed = steadyFeed(() => server.feed, organizations)
  let whole = 0
  let unfinished = 0

  /** The fed positions in a database, over all organizations. */
  function countFed(database: string): number {
    const truck = organizations.map(({ objects }) => objects.truck).join(',')
    using connection = new DatabaseSync(database, { readOnly: true })
    const row = connection
      .prepare(`SELECT count(*) AS fed FROM positions WHERE object IN (${truck})
        AND time_device >= ${Date.parse('2025-05-01')}`)
      .get()
    return Number(row!.fed)
  }

  function countAcknowledged(): number {
    return [...feed.acknowledged.values()].reduce((sum, each) => sum + each, 0)
  }

  /** A folder with the form of a backup must be a complete one. */
  function judge(copy: string, acknowledged: number): void {
    if (!existsSync(join(copy, 'fleetgate.db'))) {
      unfinished += 1
      return
    }
    whole += 1
    assertIntegrity(inFolder(copy))
    const fed = countFed(join(copy, 'fleetgate.db'))
    assert.ok(fed >= acknowledged, `${fed} rows in the backup, ${acknowledged} acknowledged before`)
    assert.ok(existsSync(join(copy, 'quota.journal')), 'a backup without the quota')
  }

  return {
    async kill() {
      for (let isKilled = false; !isKilled; ) {
        const copy = join(folder, 'copy')
        const acknowledged = countAcknowledged()
        await mkdir(copy)
        const writes = { folder: copy, file: 'fleetgate.db.unfinished', most: WRITES }
        isKilled = await killedCommand(['backup', ...deployment.args, copy], () =>
          anyMoment(writes, options),
        )
        judge(copy, acknowledged)
        await rm(copy, { recursive: true, force: true })
      }
      tally.kills += 1
      assertIntegrity(deployment)
      tally.integrityChecks += 1
    },
    async finish() {
      const copy = join(folder, 'last')
      const acknowledged = countAcknowledged()
      await fleetgateJson(['backup', ...deployment.args, copy])
      judge(copy, acknowledged)
      return { 'cut short': unfinished, 'whole backups': whole }
    },
    async close() {
      await feed.stop()
      await server.stop()
    },
  }
}
