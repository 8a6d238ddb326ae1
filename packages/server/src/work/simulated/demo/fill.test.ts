import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { DAY_MS } from '../../../base/domain/time/time.ts'
import { foldRules } from '../../../engine/tracking/rules/advance.ts'
import { fillDemo } from './fill.ts'
import { demoFleet } from './fleet.ts'
import { drivenFixes } from './replay.ts'

let now = Date.UTC(2026, 10, 20, 10)
const clock = { now: () => now, monotonic: () => now * 1000 }
const rules = foldRules(clock)
let opened: Awaited<ReturnType<typeof temporaryStore>>
let organization: number
let ahead: number

before(async () => {
  opened = await temporaryStore()
  ;({ organization, ahead } = await fillDemo(opened.store, clock, rules))
})
after(() => opened.cleanUp())

async function rows(from: number, to: number): Promise<number[]> {
  const { objects, positions } = opened.store
  const list = await objects.list(organization)
  return Promise.all(list.map(({ id }) => positions.count(organization, id, { from, to }, 1e6)))
}

function driven(from: number, to: number): number[] {
  return demoFleet().objects.map(({ ident }) => [...drivenFixes(ident, from, to, ahead)].length)
}

test('the demo has its organization, its catalogue and seven days of positions', async () => {
  const { store } = opened
  const fleet = demoFleet()
  const stored = await store.organizations.find(organization)
  assert.equal(stored?.name, fleet.organization.name)
  assert.equal(stored?.dailyQuota, 500)
  const objects = await store.objects.list(organization)
  assert.deepEqual(
    objects.map(({ ident }) => ident),
    fleet.objects.map(({ ident }) => ident),
  )
  assert.equal((await store.geofences.list(organization)).length, fleet.geofences.length)
  assert.equal((await store.routes.list(organization)).length, fleet.routes.length)
  assert.equal((await store.sites.list(organization)).length, fleet.sites.length)
  const attributes = await store.attributes.list(organization)
  assert.deepEqual(
    attributes.map(({ name, isPublic }) => [name, isPublic]),
    ['battery', 'driver', 'fuel_level', 'temp1'].map((name) => [name, true]),
  )
  assert.deepEqual(await rows(0, now), driven(now - 3000 - 7 * DAY_MS, now - 3000))
})

test('a second fill adds only later drives, and restores nothing that was deleted', async () => {
  const { store } = opened
  const [first] = await store.objects.list(organization)
  await store.objects.update(organization, first!.id, { name: 'My van' }, now)
  const before = now - 3000
  now += 600_000
  const again = await fillDemo(store, clock, rules)
  assert.deepEqual([again.organization, again.ahead], [organization, ahead])
  assert.equal((await store.organizations.list()).length, 1)
  const objects = await store.objects.list(organization)
  assert.equal(objects.length, demoFleet().objects.length)
  assert.equal(objects[0]!.name, 'My van')
  assert.deepEqual(await rows(before + 1, now), driven(before, now - 3000))
})
