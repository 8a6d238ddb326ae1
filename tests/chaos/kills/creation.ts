import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import type { Course, CourseOptions } from './course.ts'
import { killedCommand } from './killed-command.ts'
import { anyMoment } from './moment.ts'

/** Log writes of a command that creates a folder. */
const WRITES = 60

/** The first command in a new folder. */
export async function creation(options: CourseOptions): Promise<Course> {
  const { folder, tally } = options
  const data = join(folder, 'data')
  let made = 0

  async function killFirstCommand(): Promise<boolean> {
    await rm(data, { recursive: true, force: true })
    await mkdir(data)
    const create = ['org', 'create', '--name', 'First', '--data', data]
    const isKilled = await killedCommand(create, () =>
      anyMoment({ folder: data, file: 'fleetgate.db-wal', most: WRITES }, options),
    )
    await fleetgateJson(create)
    const { length } = await fleetgateJson(['org', 'list', '--data', data])
    // The killed command may have succeeded, or changed nothing.
    assert.ok(length === 1 || length === 2, `${length} organizations`)
    assertIntegrity(inFolder(data))
    tally.integrityChecks += 1
    made += 1
    return isKilled
  }

  return {
    async kill() {
      while (!(await killFirstCommand()));
      tally.kills += 1
    },
    async finish() {
      return { 'folders made at the second go': made }
    },
    async close() {},
  }
}
