import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDeployment } from '../../compose.ts'
import { ORGANIZATION_DEFAULTS } from '../../domain/organization.ts'
import { systemClock } from '../../domain/time/clock.ts'
import { utcDay } from '../../domain/time/time.ts'
import { json, temporaryFolder } from '../processes/spawned.ts'
import { runHere } from '../run-here.ts'

const silent = { line() {}, error() {} }

it('a served data folder is backed up whole, including counters', async (t) => {
  const folder = await temporaryFolder(t)
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')]
  const served = await openDeployment({ folder: data }, systemClock, silent)
  t.after(() => served.close())
  const settings = { ...ORGANIZATION_DEFAULTS, name: 'Acme' }
  const { id } = await served.store.organizations.create(settings, Date.now())
  const day = utcDay(Date.now())
  for (let count = 1; count <= 3; count++)
    await served.realtime.quota.charge(id, { objects: [7], limit: null, day })

  const printed = await json(['backup', copy, '--data', data])
  assert.deepEqual([printed.folder, printed.organizations], [copy, 1])
  assert.ok(printed.bytes > 0)

  const restored = await openDeployment({ folder: copy }, systemClock, silent)
  t.after(() => restored.close())
  assert.deepEqual(
    await restored.store.organizations.list(),
    await served.store.organizations.list(),
  )
  assert.deepEqual(
    await restored.realtime.quota.charge(id, { objects: [7], limit: null, day }),
    { charged: true, used: 400 },
    'counts on from the 3',
  )
})

it('a backup never writes into a folder with content', async (t) => {
  const folder = await temporaryFolder(t)
  await json(['org', 'create', 'Acme', '--data', folder])
  const { code, stdout, stderr } = await runHere(['backup', folder, '--data', folder])
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /the backup to '.*' failed: .* is not empty/)
})
