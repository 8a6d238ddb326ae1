import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Deployment } from './deployment.ts'
import { resultOf } from './envelope.ts'
import { IDENTS } from './fleet-data.ts'
import { fleetgateJson, type Json, start } from './fleetgate.ts'
import { assertIntegrity } from './integrity.ts'
import { type Organization, withRoom } from './organization.ts'
import { seen } from './seen.ts'
import { temporaryFolder } from './temporary-folder.ts'

const START = Date.parse('2024-06-01T00:00:00Z')

/** Imports beside a running server. Each `number` has its own period of time, one after the other. */
export type KilledImport = {
  /**
   * Starts an import and kills it when `moment` resolves. The first rows of its file must be stored without gaps,
   * and include every row that a reader has seen. A second run must add the rest without duplicates. Returns
   * whether the import was still running at the kill.
   */
  kill(number: number, moment: () => Promise<unknown>): Promise<boolean>
  /** Start (inclusive) and end (exclusive) of the import's rows, in milliseconds. */
  stretch(number: number): { from: number; to: number }
}

/** Imports of `rows` rows each, for the silent objects of organizations that no other import writes to. */
export function killedImport(
  deployment: Deployment,
  organizations: Organization[],
  count: number,
): KilledImport {
  const file = join(temporaryFolder(), 'positions.csv')
  const stretch = (number: number) => ({
    from: START + number * count * 1000,
    to: START + (number + 1) * count * 1000,
  })

  /** One fix a second. */
  function writeRows(number: number): { latitude: number; time_device: string }[] {
    const rows = Array.from({ length: count }, (_, i) => ({
      latitude: Number((((i * 7919) % 900_000) / 10_000).toFixed(7)),
      time_device: new Date(stretch(number).from + i * 1000).toISOString(),
    }))
    const lines = rows.map((row) => `${IDENTS.silent},${row.time_device},${row.latitude},9.5`)
    writeFileSync(file, ['ident,time_device,latitude,longitude', ...lines, ''].join('\n'))
    return rows
  }

  /** The rows of the period that a reader gets. */
  async function read(organization: Organization, number: number): Promise<Json[]> {
    const { from, to } = stretch(number)
    const [first, last] = [from, to - 1].map((time) => new Date(time).toISOString())
    const range = `from_time=${first}&to_time=${last}`
    await wait(organization.untilRoom())
    const answer = await organization.get(
      `/objects/${organization.objects.silent}/positions?${range}`,
    )
    return resultOf(answer).map(({ latitude, time_device }: Json) => ({ latitude, time_device }))
  }

  /** The number of rows of the period that the latest position proves to be stored. */
  async function countSeen(organization: Organization, number: number): Promise<number> {
    await wait(organization.untilRoom())
    const path = `/positions/latest?ids=${organization.objects.silent}`
    const [{ time_device }] = resultOf(await organization.get(path))
    if (time_device === null) return 0
    return Math.max(0, (Date.parse(time_device) - stretch(number).from) / 1000 + 1)
  }

  return {
    stretch,
    async kill(number, moment) {
      const organization = await withRoom(organizations)
      const rows = writeRows(number)
      const importing = ['import', 'positions', '--org', String(organization.id)]
      const args = [...importing, ...deployment.args, file]
      const child = start(args)
      child.stdin.end()
      child.stdout.resume()
      child.stderr.resume()
      const ended = once(child, 'exit')
      await Promise.race([ended, moment()])
      const before = await countSeen(organization, number)
      child.kill('SIGKILL')
      const [, signal] = await ended
      assertIntegrity(deployment)

      const stored = await read(organization, number)
      assert.ok(stored.length >= before, `${before} were seen, ${stored.length} are stored`)
      assert.deepEqual(stored, rows.slice(0, stored.length))

      const summary = await fleetgateJson(args)
      await seen(deployment)
      assert.deepEqual(
        [summary.read, summary.duplicate, summary.accepted, summary.conflict, summary.rejected],
        [count, stored.length, count - stored.length, 0, 0],
      )
      assert.deepEqual(await read(organization, number), rows)
      return signal === 'SIGKILL'
    },
  }
}
