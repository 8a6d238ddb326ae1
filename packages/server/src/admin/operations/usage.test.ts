import assert from 'node:assert/strict'
import { it } from 'node:test'
import { temporaryFolder } from '../../cli/processes/spawned.ts'
import { openDeployment } from '../../compose.ts'
import { openDirectory } from '../../directory/directory.ts'
import { OBJECT_DEFAULTS } from '../../domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../domain/organization.ts'
import { systemClock } from '../../domain/time/clock.ts'
import { utcDay } from '../../domain/time/time.ts'
import { openUsageCounts } from '../../usage/usage-counts.ts'
import type { Call } from '../admin-api.ts'
import { ORGANIZATION_OPERATIONS } from './organizations.ts'
import { USAGE_OPERATIONS } from './usage.ts'

it('a quota used in hundredths is shown in whole units, rounded down as left', async (t) => {
  const folder = await temporaryFolder(t)
  const { store, realtime, close } = await openDeployment({ folder }, systemClock, {
    line() {},
    error() {},
  })
  t.after(close)
  const now = Date.now()
  const settings = { ...ORGANIZATION_DEFAULTS, name: 'Acme', dailyQuota: 5 }
  const { id: organization } = await store.organizations.create(settings, now)
  const idents = ['a', 'b', 'c']
  const objects = idents.map((ident) => ({ ...OBJECT_DEFAULTS, name: ident, ident }))
  await store.objects.put(organization, objects, now)
  const directory = await openDirectory(store, realtime.snapshots, systemClock)
  t.after(() => directory.close())
  const own = (await store.objects.list(organization)).map(({ id }) => id)
  const hundredths = [401, 1, 400]
  await realtime.quota.charge(organization, {
    objects: own,
    hundredths,
    limit: 5,
    day: utcDay(now),
  })

  const usage = openUsageCounts(store.usage, systemClock)
  const call = {
    api: { store, realtime, directory, usage },
    params: { organization },
    query: new URLSearchParams(),
    now,
  } as unknown as Call
  const run = (id: string) =>
    [...USAGE_OPERATIONS, ...ORGANIZATION_OPERATIONS].find((each) => each.id === id)!.run(call)
  const quota = (await run('getQuota')) as { items: { used: number; remaining: number }[] }
  assert.deepEqual(
    quota.items.map(({ used, remaining }) => [used, remaining]),
    [
      [5, 0],
      [4, 1],
      [1, 4],
    ],
  )
  const summary = (await run('getOrganization')) as Record<string, unknown>
  assert.deepEqual([summary.quota_used, summary.objects_exhausted], [5, 1])
})
