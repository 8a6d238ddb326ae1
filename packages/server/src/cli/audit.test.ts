import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openStore } from '../compose.ts'
import { temporaryFolder } from './processes/spawned.ts'
import { jsonHere } from './run-here.ts'

it('commands that change data write to the audit log, and commands that only read do not', async (t) => {
  const folder = await temporaryFolder(t)
  const data = ['--data', join(folder, 'data')]
  const sites = join(folder, 'sites.csv')
  await writeFile(sites, 'name,latitude,longitude\nDepot,41,29\nYard,40,29\n')
  const { id } = await jsonHere(['org', 'create', 'Acme', ...data])
  const org = ['--org', `${id}`, ...data]
  await jsonHere(['org', 'update', `${id}`, '--daily-quota', '7', ...data])
  const key = await jsonHere(['key', 'issue', '--name', 'sync', ...org])
  await jsonHere(['import', 'sites', ...org, sites])
  await jsonHere(['import', 'sites', ...org, sites])
  const positions = join(folder, 'positions.csv')
  await writeFile(positions, 'ident,time,lat,lon\nA1,1740819600,1,2\nA1,1740819601,0,0\n')
  await jsonHere(['import', 'positions', '--create-objects', ...org, positions])
  await jsonHere(['import', 'positions', ...org, positions])
  const [{ id: site }] = await jsonHere(['sites', 'list', ...org])
  await jsonHere(['sites', 'show', ...org, `${site}`])
  await jsonHere(['sites', 'delete', '--yes', ...org, `${site}`])
  await jsonHere(['backup', join(folder, 'copy'), ...data])

  const store = await openStore({ folder: join(folder, 'data') })
  t.after(() => store.close())
  const entries = await store.audit.list({ organization: id, before: null, limit: 100 })
  assert.deepEqual(
    entries.toReversed().map(({ action, target, name }) => [action, target, name]),
    [
      ['organization.create', id, 'Acme'],
      ['organization.update', id, 'Acme'],
      ['key.issue', key.id, 'sync'],
      ['site.import', null, null],
      ['object.import', null, null],
      ['positions.import', null, null],
      ['site.delete', site, 'Depot'],
    ],
  )
  const { username } = userInfo()
  assert.ok(entries.every(({ actor }) => actor === `command line, user ${username}`))
  assert.ok(entries.every(({ at }) => Math.abs(Date.now() - at) < 600_000))
  assert.deepEqual(entries.find(({ action }) => action === 'site.import')?.changes, {
    created: { to: 2 },
    updated: { to: 0 },
    unchanged: { to: 0 },
  })
  assert.deepEqual(entries.find(({ action }) => action === 'positions.import')?.changes, {
    accepted: { to: 1 },
    duplicate: { to: 0 },
    conflict: { to: 0 },
    rejected: { to: 0 },
  })
})
