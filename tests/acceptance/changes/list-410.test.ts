import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Deployment, embeddedOnly, inFolder } from '../harness/deployment.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { type FleetOrganization, startFleet } from '../harness/fleet.ts'
import { inDatabase } from '../harness/in-database.ts'
import { organizationOf, withRoom } from '../harness/organization.ts'
import { serveHere } from '../harness/server-here.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const fleet = await startFleet({ full: 0, plain: 2 })
const TOO_OLD = 'cursor is too old: start again without cursor.'
const MONTH_MS = 31 * 86_400_000
const ATTEMPTS = 200
/** The server forgets in its own time, which no clock shortens. */
const LOOK_MS = 50

async function cursorOf(own: FleetOrganization): Promise<string> {
  return resultOf(await own.get('/changes?from=now')).cursor
}

async function changeTwice(own: FleetOrganization): Promise<void> {
  for (const days of ['7', '8']) {
    await fleet.json('org', 'update', String(own.id), '--retention-days', days)
  }
}

/** Makes all changes of the log so old that the server forgets them. */
async function ageLog({ database, folder }: Deployment): Promise<void> {
  const text = `UPDATE change_log SET at = at - ${MONTH_MS}`
  if (database !== undefined) return void (await inDatabase(database, (pg) => pg.query(text)))
  const sqlite = new DatabaseSync(join(folder!, 'fleetgate.db'))
  sqlite.exec(text)
  sqlite.close()
}

describe('GET /changes: 410', () => {
  it('refuses a cursor that is older than the log', async () => {
    const own = fleet.take()
    const cursor = await cursorOf(own)
    await changeTwice(own)
    const newest = await cursorOf(own)
    await ageLog(fleet.deployment)
    await fleet.restart()
    // The server forgets old changes soon after its start.
    let answer = await own.get(`/changes?cursor=${cursor}`)
    for (let left = ATTEMPTS; left > 0 && answer.status === 200; left -= 1) {
      await wait(LOOK_MS)
      await withRoom([own])
      answer = await own.get(`/changes?cursor=${cursor}`)
    }
    assertRefused(answer, 410, 'PUBLIC.410_001', TOO_OLD)
    await withRoom([own])
    resultOf(await own.get(`/changes?cursor=${newest}`))
  })

  it('refuses a cursor that is newer than the newest change', embeddedOnly, async () => {
    const own = fleet.take()
    await fleet.server.stop()
    const older = join(temporaryFolder(), 'older')
    cpSync(fleet.deployment.folder!, older, { recursive: true })
    await fleet.restart()
    await changeTwice(own)
    const cursor = await cursorOf(own)
    await fleet.server.stop()
    const server = await serveHere(inFolder(older), ['--geocoder', 'off'])
    const there = organizationOf(own, () => server.api)
    assertRefused(await there.get(`/changes?cursor=${cursor}`), 410, 'PUBLIC.410_001', TOO_OLD)
    await server.stop()
    await fleet.restart()
  })
})
