import assert from 'node:assert/strict'
import { once } from 'node:events'
import { watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from './harness/client.ts'
import { resultOf } from './harness/envelope.ts'
import { startFleet } from './harness/fleet.ts'
import { IDENTS } from './harness/fleet-data.ts'
import { type Json, start } from './harness/fleetgate.ts'
import { inDatabase } from './harness/in-database.ts'
import { assertIntegrity } from './harness/integrity.ts'
import { type Organization, withRoom } from './harness/organization.ts'
import { temporaryFolder } from './harness/temporary-folder.ts'

/** How many processes are killed in all, every other one a server and an import. */
const KILLS = Number(process.env.KILLS ?? 6)
const SERVER_KILLS = Math.ceil(KILLS / 2)
const IMPORT_KILLS = KILLS - SERVER_KILLS

const fleet = await startFleet({ full: 0, plain: 6 })
const organizations = Array.from({ length: 6 }, () => fleet.take())

/** A fraction that differs from kill to kill and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

describe(`kill -9 of a server under quota-charging load, ${SERVER_KILLS} times`, () => {
  const QUOTA = 1_000_000
  const sent = new Map(organizations.map(({ id }) => [id, 0]))
  const answered = new Map(organizations.map(({ id }) => [id, 0]))

  async function charge(caller: Organization, path: string): Promise<Answer | undefined> {
    sent.set(caller.id, sent.get(caller.id)! + 1)
    const answer = await caller.get(path).catch(() => undefined)
    if (answer?.status === 200) answered.set(caller.id, answered.get(caller.id)! + 1)
    return answer
  }

  /** Charges an organization's van until its window is almost full or the server is gone. */
  async function load(caller: Organization): Promise<void> {
    const { van } = caller.objects
    const paths = [`/objects/${van}`, `/positions/latest?ids=${van}`]
    for (let count = 0; count < 9; count++) {
      if ((await charge(caller, paths[count % 2]!)) === undefined) return
    }
  }

  it('loses no charge that was answered, and charges nothing twice', async () => {
    for (const { id } of organizations) {
      await fleet.run('org', 'update', String(id), '--daily-quota', String(QUOTA))
    }
    for (let kill = 0; kill < SERVER_KILLS; kill++) {
      const loads = Promise.all(organizations.map(load))
      // Some kills come with the first answers, some in the midst of them, some after the last.
      await wait(spread(kill) * 80)
      await fleet.restart('kill')
      await loads
      for (const organization of organizations) {
        const path = `/positions/latest?ids=${organization.objects.van}`
        const answer = await charge(organization, path)
        const charged = QUOTA - Number(answer?.headers['x-quota-remaining'])
        assert.ok(charged >= answered.get(organization.id)!, `${charged} charged, too few`)
        assert.ok(charged <= sent.get(organization.id)!, `${charged} charged, too many`)
      }
    }
    await fleet.server.kill()
    assertIntegrity(fleet.deployment)
    await fleet.restart('kill')
  })
})

describe(`kill -9 of a running import, ${IMPORT_KILLS} times`, () => {
  const ROWS = 40_000
  /** How long an import of so many rows writes. */
  const WRITING_MS = 300
  const START = Date.parse('2024-06-01T00:00:00Z')
  const file = join(temporaryFolder(), 'positions.csv')

  /** The rows of one file: a fix a second, in a stretch of time that is the kill's own. */
  function writeRows(kill: number): { latitude: number; time_device: string }[] {
    const rows = Array.from({ length: ROWS }, (_, i) => ({
      latitude: Number((((i * 7919) % 900_000) / 10_000).toFixed(7)),
      time_device: new Date(START + (kill * ROWS + i) * 1000).toISOString(),
    }))
    const lines = rows.map((row) => `${IDENTS.silent},${row.time_device},${row.latitude},9.5`)
    writeFileSync(file, ['ident,time_device,latitude,longitude', ...lines, ''].join('\n'))
    return rows
  }

  /** What a reader has of the kill's stretch of time. */
  async function read(organization: Organization, kill: number): Promise<Json[]> {
    const [from, to] = [kill, kill + 1].map((part) =>
      new Date(START + part * ROWS * 1000 - (part === kill ? 0 : 1)).toISOString(),
    )
    const path = `/objects/${organization.objects.silent}/positions?from_time=${from}&to_time=${to}`
    await wait(organization.untilRoom())
    const rows = resultOf(await organization.get(path))
    return rows.map(({ latitude, time_device }: Json) => ({ latitude, time_device }))
  }

  /** How many rows of the kill's stretch a reader can tell to be there from the latest position. */
  async function countSeen(organization: Organization, kill: number): Promise<number> {
    await wait(organization.untilRoom())
    const path = `/positions/latest?ids=${organization.objects.silent}`
    const [{ time_device }] = resultOf(await organization.get(path))
    if (time_device === null) return 0
    return Math.max(0, (Date.parse(time_device) - START) / 1000 - kill * ROWS + 1)
  }

  /** Resolves in the first batch of the kill's stretch of time. */
  async function firstBatch(kill: number): Promise<void> {
    const { folder, database } = fleet.deployment
    if (folder !== undefined) return firstWrites(folder)
    const from = [START + kill * ROWS * 1000, START + (kill + 1) * ROWS * 1000]
    const standing = 'SELECT 1 FROM positions WHERE time_device >= $1 AND time_device < $2 LIMIT 1'
    await inDatabase(database!, async (client) => {
      while ((await client.query(standing, from)).rowCount === 0) await wait(1)
    })
  }

  /** The server's own small notes take fewer writes than that. */
  function firstWrites(folder: string): Promise<void> {
    return new Promise((resolve) => {
      let writes = 0
      const watcher = watch(folder, (_, name) => {
        if (name === 'fleetgate.db-wal') writes += 1
        if (writes < 30) return
        watcher.close()
        resolve()
      })
    })
  }

  it('leaves the first rows of the file, whole, and what a reader has seen among them', async () => {
    for (let kill = 0; kill < IMPORT_KILLS; kill++) {
      const organization = await withRoom(organizations)
      const org = ['--org', String(organization.id)]
      const rows = writeRows(kill)
      const importing = start(['import', 'positions', ...org, ...fleet.deployment.args, file])
      importing.stdin.end()
      importing.stdout.resume()
      importing.stderr.resume()
      const ended = once(importing, 'exit')
      const writing = firstBatch(kill).then(() => wait(WRITING_MS * spread(kill)))
      await Promise.race([ended, writing])
      const seen = await countSeen(organization, kill)
      importing.kill('SIGKILL')
      await ended
      assertIntegrity(fleet.deployment)

      const stands = await read(organization, kill)
      assert.ok(stands.length >= seen, `${seen} were seen, ${stands.length} stand`)
      assert.deepEqual(stands, rows.slice(0, stands.length))

      const summary = await fleet.json('import', 'positions', ...org, file)
      assert.deepEqual(
        [summary.read, summary.duplicate, summary.accepted, summary.conflict, summary.rejected],
        [ROWS, stands.length, ROWS - stands.length, 0, 0],
      )
      assert.equal((await read(organization, kill)).length, ROWS)
    }
  })
})
