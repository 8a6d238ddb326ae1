import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { embeddedOnly, inFolder } from './harness/deployment.ts'
import { startFleet } from './harness/fleet.ts'
import { WHOLE_RANGE } from './harness/fleet-data.ts'
import { organizationOf } from './harness/organization.ts'
import type { Server } from './harness/server.ts'
import { serveHere } from './harness/server-here.ts'
import { temporaryFolder } from './harness/temporary-folder.ts'

const fleet = await startFleet({ full: 1, plain: 1 })
let copyServer: Server | undefined
after(() => copyServer?.stop())

describe('backup', embeddedOnly, () => {
  it('restores the answers of a running server, including quotas', async () => {
    const organization = fleet.full[0]!
    await fleet.run('org', 'update', String(organization.id), '--daily-quota', '5')
    const { van, longHaul } = organization.objects
    const history = `/objects/${longHaul}/positions?${WHOLE_RANGE}`
    const original = await organization.get(history)
    await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`)
    const folder = join(temporaryFolder(), 'copy')
    const printed = await fleet.json('backup', folder)
    assert.equal(printed.folder, folder)
    assert.ok(printed.bytes > 0 && printed.organizations > 1)

    const database = new DatabaseSync(join(folder, 'fleetgate.db'))
    const checked = database.prepare('PRAGMA integrity_check').all()
    database.close()
    assert.deepEqual(
      checked.map((row) => ({ ...row })),
      [{ integrity_check: 'ok' }],
    )

    copyServer = await serveHere(inFolder(folder), ['--geocoder', 'off'])
    const copy = organizationOf(organization, () => copyServer!.api)
    assert.equal((await copy.get(history)).text, original.text)
    const latest = await copy.get(`/positions/latest?ids=${van}`)
    assert.equal(latest.headers['x-quota-remaining'], '3')
  })
})
