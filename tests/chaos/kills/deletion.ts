import assert from 'node:assert/strict'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { organizationOf } from '../../acceptance/harness/organization.ts'
import { serve } from '../../acceptance/harness/server.ts'
import type { Course, CourseOptions } from './course.ts'
import { killedCommand } from './killed-command.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'

const ROWS = 15_000
const WRITES = 200
const RANGE = 'from_time=2000-01-01&to_time=2030-01-01'

/** `org delete`, which deletes positions slice by slice; a server finishes an interrupted deletion. */
export async function deletion(options: CourseOptions): Promise<Course> {
  const { folder, tally } = options
  const template = join(folder, 'template')
  const data = join(folder, 'data')
  const records = await settleOrganizations(inFolder(template), 2)
  const [doomed, other] = [records[0]!, records[1]!]
  await importRows(template, doomed.id, folder)
  let gone = 0
  let whole = 0

  async function killOnce(): Promise<boolean> {
    await rm(data, { recursive: true, force: true })
    await cp(template, data, { recursive: true })
    const args = ['org', 'delete', String(doomed.id), '--yes', '--data', data]
    const writes = { folder: data, file: 'fleetgate.db-wal', most: WRITES }
    return killedCommand(args, () => anyMoment(writes, options))
  }

  /** The organization must be complete or gone, and the other one intact. */
  async function judge(): Promise<void> {
    const startedAt = performance.now()
    const server = await serve(inFolder(data), ['--geocoder', 'off'])
    try {
      const [first, second] = [doomed, other].map((each) => organizationOf(each, () => server.api))
      const answer = await first!.get(`/objects/${doomed.objects.silent}/positions?${RANGE}`)
      tally.startsMs.push(performance.now() - startedAt)
      const isGone = answer.status === 401
      if (isGone) assert.equal(countOf(doomed.id), 0)
      else assert.equal(resultOf(answer).length, ROWS)
      if (isGone) gone += 1
      else whole += 1
      const van = await second!.get(`/objects/${other.objects.van}/positions?${RANGE}`)
      assert.ok(resultOf(van).length > 0)
      assertIntegrity(inFolder(data))
      tally.integrityChecks += 1
    } finally {
      await server.stop()
    }
  }

  function countOf(organization: number): number {
    using database = new DatabaseSync(join(data, 'fleetgate.db'), { readOnly: true })
    const sql = 'SELECT count(*) AS stored FROM positions WHERE organization = ?'
    return Number(database.prepare(sql).get(organization)!.stored)
  }

  return {
    async kill() {
      for (let isKilled = false; !isKilled; ) {
        isKilled = await killOnce()
        await judge()
      }
      tally.kills += 1
    },
    async finish() {
      return { 'deletions finished by the next server': gone, 'not begun': whole }
    },
    async close() {},
  }
}

async function importRows(data: string, organization: number, folder: string): Promise<void> {
  const start = Date.parse('2024-06-01')
  const lines = Array.from({ length: ROWS }, (_, i) => `${IDENTS.silent},${start + i * 1000},1,1`)
  const file = join(folder, 'rows.csv')
  await writeFile(file, ['ident,time_device,latitude,longitude', ...lines, ''].join('\n'))
  const org = ['--org', String(organization)]
  await fleetgateJson(['import', 'positions', ...org, '--data', data, file])
}
