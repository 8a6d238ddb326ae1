import assert from 'node:assert/strict'
import { it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { OBJECT_DEFAULTS } from '../../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import { memorySnapshots } from '../live/memory/memory-realtime.ts'
import { openDirectory, readAhead } from './directory.ts'
import type { FleetObject } from './fleet-objects.ts'

const ORGANIZATIONS = 20

it('reading ahead yields after each organization', async () => {
  const { store, cleanUp } = await temporaryStore()
  for (let i = 0; i < ORGANIZATIONS; i++) {
    const settings = { name: `Acme ${i}`, ...ORGANIZATION_DEFAULTS }
    const { id } = await store.organizations.create(settings, 0)
    await store.objects.put(id, [{ ...OBJECT_DEFAULTS, name: 'Bus', ident: `${i}` }], 0)
  }
  const directory = await openDirectory(store, memorySnapshots(), handedClock(0))
  let passes = 0
  let pass = setImmediate(function count() {
    passes += 1
    pass = setImmediate(count)
  })
  const read: [organization: number, ident: string][] = []
  const note = async (organization: number, objects: FleetObject[]) => {
    for (const { object } of objects) read.push([organization, object.ident])
  }
  await readAhead(directory, note, new AbortController().signal)
  clearImmediate(pass)
  assert.equal(read.length, ORGANIZATIONS)
  assert.equal(new Set(read.map(([organization]) => organization)).size, ORGANIZATIONS)
  assert.ok(passes >= ORGANIZATIONS - 1, `${passes} passes of the event loop`)
  await directory.close()
  await cleanUp()
})

it('reading ahead ends before the next organization once the server stops', async () => {
  const { store, cleanUp } = await temporaryStore()
  for (const name of ['Acme', 'Bolt', 'Coil']) {
    await store.organizations.create({ ...ORGANIZATION_DEFAULTS, name }, 0)
  }
  const directory = await openDirectory(store, memorySnapshots(), handedClock(0))
  const ending = new AbortController()
  let read = 0
  const stopAfterFirst = async () => {
    read += 1
    ending.abort()
  }
  await readAhead(directory, stopAfterFirst, ending.signal)
  assert.equal(read, 1)
  await directory.close()
  await cleanUp()
})
