import assert from 'node:assert/strict'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import type { FleetRecord } from '../../acceptance/harness/make-fleet.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import type { Course, CourseOptions } from './course.ts'
import { type KillableServer, killableServer } from './killable-server.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'

const DAY_MS = 86_400_000
const RETENTION_DAYS = 30
const EXPIRED = 6_000
const KEPT = 200
/** Writes in which a server deletes some thousands of expired positions. */
const WRITES = 120

/** A server that deletes expired positions as soon as it starts. */
export async function retention(options: CourseOptions): Promise<Course> {
  const { folder } = options
  const template = join(folder, 'template')
  const data = join(folder, 'data')
  const [record] = await layDown(template, folder)
  const { silent } = record!.objects
  const kept = keptMoments()
  let rounds = 0
  let server: KillableServer | undefined

  async function begin(): Promise<KillableServer> {
    await server?.stop()
    await rm(data, { recursive: true, force: true })
    await cp(template, data, { recursive: true })
    rounds += 1
    return killableServer(inFolder(data), options)
  }

  /** The stored positions of the object, expired or not. */
  function countPositions(): number {
    using database = new DatabaseSync(join(data, 'fleetgate.db'), { readOnly: true })
    const sql = 'SELECT count(*) AS stored FROM positions WHERE object = ?'
    return Number(database.prepare(sql).get(silent)!.stored)
  }

  /** No expired position is shown, and every other one is. */
  async function assertShown(): Promise<void> {
    const caller = organizationOf(record!, () => server!.now.api)
    const query = `from_time=2000-01-01&to_time=${new Date(Date.now() + DAY_MS).toISOString()}`
    const rows = resultOf(await caller.get(`/objects/${silent}/positions?${query}`))
    assert.deepEqual(
      rows.map(({ time_device }: { time_device: string }) => Date.parse(time_device)),
      kept,
    )
  }

  return {
    async kill() {
      // One expired position remains, hidden.
      if (server === undefined || countPositions() <= KEPT + 1) server = await begin()
      await anyMoment({ folder: data, file: 'fleetgate.db-wal', most: WRITES }, options)
      const before = countPositions()
      await server.kill()
      const after = countPositions()
      assert.ok(after <= before && after > KEPT, `${before} rows stood, and then ${after}`)
      await assertShown()
    },
    async finish() {
      while (countPositions() > KEPT + 1) await wait(20)
      await assertShown()
      return { 'rows deleted': rounds * (EXPIRED - 1) }
    },
    async close() {
      await server?.stop()
    },
  }
}

let today: number | undefined
/** Not expired, and constant while this process runs. */
function keptMoments(): number[] {
  today ??= Math.floor(Date.now() / DAY_MS) * DAY_MS
  return Array.from({ length: KEPT }, (_, i) => today! - DAY_MS + i * 60_000)
}

/** An organization with old and new positions, whose settings are old enough for a deletion. */
async function layDown(template: string, folder: string): Promise<FleetRecord[]> {
  const deployment = inFolder(template)
  const records = await settleOrganizations(
    deployment,
    1,
    '--retention-days',
    String(RETENTION_DAYS),
  )
  const old = Array.from({ length: EXPIRED }, (_, i) => Date.parse('2020-01-01') + i * 60_000)
  const lines = [...old, ...keptMoments()].map((time) => `${IDENTS.silent},${time},1,1`)
  const file = join(folder, 'old.csv')
  await writeFile(file, ['ident,time_device,latitude,longitude', ...lines, ''].join('\n'))
  const org = ['--org', String(records[0]!.id)]
  await fleetgateJson(['import', 'positions', ...org, ...deployment.args, file])
  using database = new DatabaseSync(join(template, 'fleetgate.db'))
  database.prepare('UPDATE organizations SET updated_at = 0').run()
  return records
}
