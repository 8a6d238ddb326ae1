import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { type Deployment, inFolder } from '../../acceptance/harness/deployment.ts'
import { resultOf } from '../../acceptance/harness/envelope.ts'
import { IDENTS } from '../../acceptance/harness/fleet-data.ts'
import { fleetgateJson, type Json } from '../../acceptance/harness/fleetgate.ts'
import { applyPage, newReplica } from '../../acceptance/harness/following/replica.ts'
import { inDatabase } from '../../acceptance/harness/in-database.ts'
import { assertIntegrity } from '../../acceptance/harness/integrity.ts'
import { organizationOf, withRoom } from '../../acceptance/harness/organization.ts'
import { type Sender, senderTo } from '../../acceptance/harness/sender.ts'
import type { Course, CourseOptions } from './course.ts'
import { killableServer } from './killable-server.ts'
import { killedCommand } from './killed-command.ts'
import { anyMoment } from './moment.ts'
import { settleOrganizations } from './settle-organizations.ts'
import { shareDeployment } from './shared-deployment.ts'

/** Twelve blocks. */
const ROWS = 6_000
const START = Date.parse('2024-06-01T00:00:00Z')
const STEP_MS = 10_000
/** Late rows of one packet: each unpacks a block. */
const LATE = 4
const ORGANIZATIONS = 4
/** Some writes of the log in which `fleetgate pack` packs the blocks again. */
const WRITES = 12
/** The share of kills that end the server, which packs when it starts. */
const PART_OF_SERVER = 0.3
const LONGEST_MS = 600
const EVER = 'from_time=2024-01-01&to_time=2030-01-01'

/** Rows of blocks that are also in the table, or between the first and the last row of one. There may be none. */
const INSIDE = `
  SELECT count(*) AS rows FROM positions JOIN position_blocks AS block
    ON block.organization = positions.organization AND block.object = positions.object
      AND positions.time_device BETWEEN block.first_time AND block.last_time`
const PACKED = 'SELECT count(*) AS rows FROM position_blocks'

/** On a data folder. */
export const packing = (options: CourseOptions): Promise<Course> =>
  packingOn(inFolder(join(options.folder, 'data')), options)

/** On a PostgreSQL and a Redis of its own. */
export async function packingOnPostgres(options: CourseOptions): Promise<Course> {
  const { deployment, forgetWindows, stop } = await shareDeployment()
  const course = await packingOn(deployment, options, forgetWindows)
  return { ...course, close: () => course.close().finally(stop) }
}

/**
 * `fleetgate pack` next to a server, and the server while it packs, under late packets that unpack blocks. After each kill the
 * history has all acknowledged rows once, a follower of the changes has all late ones, and rows and blocks do not overlap.
 */
async function packingOn(
  deployment: Deployment,
  options: CourseOptions,
  forget?: () => Promise<void>,
): Promise<Course> {
  const { folder, random, tally } = options
  const records = await settleOrganizations(deployment, ORGANIZATIONS)
  const file = join(folder, 'positions.csv')
  writeFileSync(file, csv())
  for (const { id } of records) {
    await fleetgateJson(['import', 'positions', '--org', `${id}`, ...deployment.args, file])
  }
  await fleetgateJson(['pack', ...deployment.args])
  const server = await killableServer(deployment, options, forget)
  const drives = await Promise.all(
    records.map((record) =>
      driveOf(
        senderTo(
          organizationOf(record, () => server.now.api),
          () => server.now.feed,
        ),
      ),
    ),
  )
  let late = 0
  let serverKills = 0

  /** New rows between those of some blocks, or a row of before again. */
  function lateRows(): Json[] {
    return Array.from({ length: LATE }, () => {
      late += 1
      return row(random.whole(0, ROWS - 1), late % (STEP_MS - 1) || 1)
    })
  }

  /** Whether the command was still running at its moment. */
  async function killPack(drive: Drive): Promise<boolean> {
    const sending = drive.send(lateRows())
    const args = ['pack', '--quiet', ...deployment.args]
    const moment = () =>
      deployment.folder === undefined
        ? wait(random.between(300, 300 + LONGEST_MS))
        : anyMoment({ folder: deployment.folder, file: 'fleetgate.db-wal', most: WRITES }, options)
    const isKilled = await killedCommand(args, moment)
    await sending
    if (isKilled) tally.kills += 1
    return isKilled
  }

  /** Rows under way are sent again. */
  async function killServer(drive: Drive): Promise<void> {
    const rows = lateRows()
    const sending = drive.send(rows).catch(() => undefined)
    await wait(random.between(0, LONGEST_MS))
    await server.kill()
    await sending
    await drive.send(rows)
    serverKills += 1
  }

  return {
    async kill() {
      for (let isKilled = false; !isKilled; ) {
        const { id } = await withRoom(drives.map(({ sender }) => sender))
        const drive = drives.find(({ sender }) => sender.id === id)!
        await drive.send(lateRows())
        if (random.chance(PART_OF_SERVER)) {
          await killServer(drive)
          isKilled = true
        } else isKilled = await killPack(drive)
        await drive.check()
        assert.equal(await countOf(deployment, INSIDE), 0, 'rows in blocks')
        assertIntegrity(deployment)
      }
    },
    async finish() {
      await fleetgateJson(['pack', ...deployment.args])
      for (const { check } of drives) await check()
      const { positions, damaged } = await fleetgateJson(['verify', ...deployment.args])
      assert.deepEqual(damaged, [])
      const sent = drives.reduce((sum, { rows }) => sum + rows(), 0)
      assert.ok(positions >= sent, `${positions} of ${sent}`)
      return {
        'kills of the server': serverKills,
        'late rows': late,
        blocks: await countOf(deployment, PACKED),
      }
    },
    close: () => server.stop(),
  }
}

type Drive = Awaited<ReturnType<typeof driveOf>>

/** The rows of one object that were acknowledged, and a follower of its organization. */
async function driveOf(sender: Sender) {
  const stored = new Map(
    Array.from({ length: ROWS }, (_, index) => {
      const { time_device, latitude } = row(index, 0)
      return [time_device, latitude]
    }),
  )
  const lateTimes = new Set<string>()
  const replica = newReplica()
  let cursor: string | undefined

  async function follow(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      await wait(sender.untilRoom())
      const from = cursor === undefined ? 'from=now' : `cursor=${cursor}`
      const page = resultOf(await sender.get(`/changes?${from}&include=exact`))
      applyPage(replica, page, Date.now())
      cursor = page.cursor
      hasMore = page.has_more
    }
  }

  await follow()
  return {
    sender,
    rows: () => stored.size,
    async send(rows: Json[]): Promise<void> {
      await sender.post(rows)
      for (const { time_device, latitude } of rows) {
        const time = new Date(time_device).toISOString()
        // The first one of a moment stays.
        if (!stored.has(time)) stored.set(time, latitude)
        lateTimes.add(time)
      }
    },
    async check(): Promise<void> {
      await wait(sender.untilRoom())
      const path = `/objects/${sender.objects.silent}/positions?${EVER}`
      const shown: Json[] = resultOf(await sender.get(path))
      assert.deepEqual(
        shown.map(({ time_device, latitude }) => [time_device, latitude]),
        [...stored].sort(([a], [b]) => (a < b ? -1 : 1)),
      )
      await follow()
      const followed = replica.positions.get(sender.objects.silent)
      const missing = [...lateTimes].filter((time) => !followed?.has(time))
      assert.deepEqual(missing, [], 'late rows that no page has')
    },
  }
}

/** A row of a slow drive. `offset`: milliseconds after the one that was imported. */
function row(index: number, offset: number): Json {
  return {
    ident: IDENTS.silent,
    time_device: new Date(START + index * STEP_MS + offset).toISOString(),
    latitude: Number((1 + index / 10_000).toFixed(7)),
    longitude: 9.5,
  }
}

function csv(): string {
  const lines = Array.from({ length: ROWS }, (_, index) => {
    const { ident, time_device, latitude, longitude } = row(index, 0)
    return `${ident},${time_device},${latitude},${longitude}`
  })
  return ['ident,time_device,latitude,longitude', ...lines, ''].join('\n')
}

async function countOf({ folder, database }: Deployment, sql: string): Promise<number> {
  if (folder === undefined) {
    return inDatabase(database!, async (client) => Number((await client.query(sql)).rows[0].rows))
  }
  using opened = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
  return Number(opened.prepare(sql).get()!.rows)
}
