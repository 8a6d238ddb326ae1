import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { request } from '../../acceptance/harness/client.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { fleetgateJson, type Json } from '../../acceptance/harness/fleetgate.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Course, CourseOptions } from './course.ts'
import { killedCommand } from './killed-command.ts'
import { anyMoment } from './moment.ts'
import { makeOlderFolder } from './older-folder.ts'

const MIGRATIONS = '../../packages/server/src/store/sqlite/migrations'
/** The schema version of this program. */
const VERSION = readdirSync(join(import.meta.dirname, MIGRATIONS)).length
/** Log writes: of a migration by a server, and of a command that creates a folder. */
const WRITES = { migration: 1_200, first: 60 }
const PORTS = ['--port', '0', '--admin-port', '0', '--feed-port', '0', '--geocoder', 'off']
const RANGE = 'from_time=2024-01-01&to_time=2025-01-01'
/** The share of kills during the creation of a folder. */
const PART_FIRST = 0.3

/** A server that migrates a folder of the first version; and the first command in a new folder. */
export async function migration(options: CourseOptions): Promise<Course> {
  const { folder, random, tally } = options
  const template = join(folder, 'template')
  const data = join(folder, 'data')
  const older = makeOlderFolder(template)
  let undone = 0
  let made = 0

  function versionOf(): number {
    using database = new DatabaseSync(join(data, 'fleetgate.db'))
    return Number(database.prepare('PRAGMA user_version').get()!.user_version)
  }

  async function killMigration(): Promise<boolean> {
    await rm(data, { recursive: true, force: true })
    await cp(template, data, { recursive: true })
    const isKilled = await killedCommand(['serve', '--data', data, ...PORTS], () =>
      anyMoment({ folder: data, file: 'fleetgate.db-wal', most: WRITES.migration }, options),
    )
    const version = versionOf()
    assert.ok(version === 1 || version === VERSION, `a database of version ${version}`)
    if (version === 1) undone += 1
    await assertServesAll()
    return isKilled
  }

  async function assertServesAll(): Promise<void> {
    const startedAt = performance.now()
    const server = await serve(inFolder(data), ['--geocoder', 'off'])
    try {
      const headers = { 'x-api-key': older.key }
      const ask = (path: string) => request(server.api, PREFIX + path, { headers })
      assert.equal(resultOf(await ask('/objects')).length, older.objects)
      tally.startsMs.push(performance.now() - startedAt)
      const rows = resultOf(await ask(`/objects/1/positions?${RANGE}`))
      const answered = rows.map(({ time_device, latitude, longitude }: Json) => ({
        time_device,
        latitude,
        longitude,
      }))
      assert.deepEqual(answered, older.positions)
      assert.equal(versionOf(), VERSION)
      assertIntegrity(inFolder(data))
      tally.integrityChecks += 1
    } finally {
      await server.stop()
    }
  }

  async function killFirstCommand(): Promise<boolean> {
    await rm(data, { recursive: true, force: true })
    await mkdir(data)
    const create = ['org', 'create', '--name', 'First', '--data', data]
    const isKilled = await killedCommand(create, () =>
      anyMoment({ folder: data, file: 'fleetgate.db-wal', most: WRITES.first }, options),
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
      for (let isKilled = false; !isKilled; ) {
        isKilled = await (random.chance(PART_FIRST) ? killFirstCommand() : killMigration())
      }
      tally.kills += 1
    },
    async finish() {
      return { 'killed before their commit': undone, 'folders made at the second go': made }
    },
    async close() {},
  }
}
