import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDeployment } from '../compose.ts'
import { systemClock } from '../domain/clock.ts'
import { ORGANIZATION_DEFAULTS } from '../domain/organization.ts'
import { utcDay } from '../domain/time.ts'
import { fleetgate, json, temporaryFolder } from './spawned.ts'

const silent = { line() {}, error() {} }

it('a data folder that is being served is copied whole, counters and all', async (t) => {
  const folder = await temporaryFolder(t)
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')]
  const served = await openDeployment({ folder: data }, systemClock, silent)
  t.after(() => served.close())
  const settings = { ...ORGANIZATION_DEFAULTS, name: 'Acme' }
  const { id } = await served.store.organizations.create(settings, Date.now())
  const day = utcDay(Date.now())
  for (let count = 1; count <= 3; count++)
    await served.realtime.quota.charge(id, { objects: [7], limit: null, day })

  const told = await json(['backup', copy, '--data', data])
  assert.deepEqual([told.folder, told.organizations], [copy, 1])
  assert.ok(told.bytes > 0)

  const restored = await openDeployment({ folder: copy }, systemClock, silent)
  t.after(() => restored.close())
  assert.deepEqual(
    await restored.store.organizations.list(),
    await served.store.organizations.list(),
  )
  assert.deepEqual(
    await restored.realtime.quota.charge(id, { objects: [7], limit: null, day }),
    { charged: true, used: 4 },
    'counts on from the 3',
  )
})

it('a folder that holds something is not written to', async (t) => {
  const folder = await temporaryFolder(t)
  await json(['org', 'create', 'Acme', '--data', folder])
  const { code, stdout, stderr } = await fleetgate(['backup', folder, '--data', folder])
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /the backup to '.*' failed: .* is not empty/)
})
