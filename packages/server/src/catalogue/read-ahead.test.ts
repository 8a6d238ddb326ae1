import assert from 'node:assert/strict'
import { it } from 'node:test'
import { handedClock } from '../domain/handed-clock.ts'
import { ORGANIZATION_DEFAULTS } from '../domain/organization.ts'
import { OBJECT_DEFAULTS } from '../domain/tracked-object.ts'
import { memorySnapshots } from '../realtime/memory/snapshots.ts'
import { temporaryStore } from '../store/sqlite/temporary-store.ts'
import { openCatalogue } from './catalogue.ts'
import { readAhead } from './read-ahead.ts'

const ORGANIZATIONS = 20

it('Reading ahead lets others run after each organization', async () => {
  const { store, cleanUp } = await temporaryStore()
  for (let i = 0; i < ORGANIZATIONS; i++) {
    const settings = { name: `Acme ${i}`, ...ORGANIZATION_DEFAULTS }
    const { id } = await store.organizations.create(settings, 0)
    await store.objects.put(id, [{ ...OBJECT_DEFAULTS, name: 'Bus', ident: `${i}` }], 0)
  }
  const catalogue = await openCatalogue(store, memorySnapshots(), handedClock(0))
  let passes = 0
  let pass = setImmediate(function count() {
    passes += 1
    pass = setImmediate(count)
  })
  const read: [organization: number, ident: string][] = []
  await readAhead(catalogue, async (organization, objects) => {
    for (const { object } of objects) read.push([organization, object.ident])
  })
  clearImmediate(pass)
  assert.equal(read.length, ORGANIZATIONS)
  assert.equal(new Set(read.map(([organization]) => organization)).size, ORGANIZATIONS)
  assert.ok(passes >= ORGANIZATIONS - 1, `${passes} passes of the event loop`)
  await catalogue.close()
  await cleanUp()
})
