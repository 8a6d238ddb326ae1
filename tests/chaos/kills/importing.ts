import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { fleetgateJson, type Json } from '../../acceptance/harness/fleetgate.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import {
  type Organization,
  organizationOf,
  withRoom,
} from '../../acceptance/harness/organization.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Course, CourseOptions } from './course.ts'
import { killedCommand } from './killed-command.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'

/** Fewer rows allow more kills in an hour; this number still takes several transactions. */
const ROWS = 8_000
const WRITES = 1_500
const START = Date.parse('2024-06-01T00:00:00Z')

type Row = { latitude: number; time_device: string }

/**
 * `fleetgate import positions` next to a server that reads. The first rows of a killed import must be stored without
 * gaps, and include every row that a reader has seen. A second run must add the rest without duplicates.
 */
export async function importing(options: CourseOptions): Promise<Course> {
  const { folder, tally } = options
  const data = join(folder, 'data')
  const file = join(folder, 'positions.csv')
  const deployment = inFolder(data)
  const records = await settleOrganizations(deployment, 6)
  const server = await serve(deployment, ['--geocoder', 'off'])
  const organizations = records.map((record) => organizationOf(record, () => server.api))
  const writes = { folder: data, file: 'fleetgate.db-wal', most: WRITES }
  let imports = 0

  /** Whether the import was still running at its moment. */
  async function killOnce(): Promise<boolean> {
    const organization = await withRoom(organizations)
    const rows = rowsOf(imports)
    imports += 1
    writeRows(file, rows)
    const args = ['import', 'positions', '--org', `${organization.id}`, ...deployment.args, file]
    let seen = 0
    const isKilled = await killedCommand(args, async () => {
      await anyMoment(writes, options)
      seen = await countSeen(organization, rows)
    })
    assertIntegrity(deployment)
    const stored = await read(organization, rows)
    assert.ok(stored.length >= seen, `${seen} were seen, ${stored.length} are stored`)
    assert.deepEqual(stored, rows.slice(0, stored.length))
    const { read: lines, duplicate, accepted, conflict, rejected } = await fleetgateJson(args)
    assert.deepEqual(
      [lines, duplicate, accepted, conflict, rejected],
      [ROWS, stored.length, ROWS - stored.length, 0, 0],
    )
    assert.deepEqual(await read(organization, rows), rows)
    return isKilled
  }

  return {
    async kill() {
      // An import that ended before its moment was not killed.
      while (!(await killOnce()));
      tally.kills += 1
      tally.integrityChecks += 1
    },
    async finish() {
      return { 'rows imported': imports * ROWS }
    },
    async close() {
      await server.stop()
    },
  }
}

/** One fix a second. Each import has its own period of time, one after the other. */
function rowsOf(number: number): Row[] {
  return Array.from({ length: ROWS }, (_, i) => ({
    latitude: Number((((i * 7919) % 900_000) / 10_000).toFixed(7)),
    time_device: new Date(START + (number * ROWS + i) * 1000).toISOString(),
  }))
}

function writeRows(file: string, rows: readonly Row[]): void {
  const lines = rows.map((row) => `${IDENTS.silent},${row.time_device},${row.latitude},9.5`)
  writeFileSync(file, ['ident,time_device,latitude,longitude', ...lines, ''].join('\n'))
}

/** The rows of the period that a reader gets. */
async function read(organization: Organization, rows: readonly Row[]): Promise<Row[]> {
  const range = `from_time=${rows[0]!.time_device}&to_time=${rows.at(-1)!.time_device}`
  await wait(organization.untilRoom())
  const path = `/objects/${organization.objects.silent}/positions?${range}`
  const stored: Json[] = resultOf(await organization.get(path))
  return stored.map(({ latitude, time_device }) => ({ latitude, time_device }))
}

/** The number of rows of the period that the latest position proves to be stored. */
async function countSeen(organization: Organization, rows: readonly Row[]): Promise<number> {
  await wait(organization.untilRoom())
  const path = `/positions/latest?ids=${organization.objects.silent}`
  const [{ time_device }] = resultOf(await organization.get(path))
  return rows.filter((row) => time_device !== null && row.time_device <= time_device).length
}
