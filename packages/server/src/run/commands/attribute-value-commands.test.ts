import assert from 'node:assert/strict'
import { it } from 'node:test'
import { jsonHere, runHere } from '../../../testing/command-line/run-here.ts'
import { temporaryFolder } from '../../../testing/command-line/spawned.ts'
import {
  append,
  fixAt,
  idOf,
  newOrganization,
  objectSettings,
} from '../../../testing/store-contract/fixture.ts'
import { DAY_MS, utcDay } from '../../base/domain/time/time.ts'
import { openStore } from '../compose.ts'

it('An erasure names the readers of the objects of all its pages', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await openStore({ folder })
  const organization = await newOrganization(store)
  // The first page has all objects but the last one, and finds nothing.
  const entries = Array.from({ length: 10_000 }, (_, index) => objectSettings(`${index}`))
  const ids = (await store.objects.put(organization, entries, 0)).map(idOf)
  const [object, time] = [ids.at(-1)!, Date.now() - 3 * DAY_MS]
  const valued = (name: string, value: string) => fixAt(time, { attributes: [{ name, value }] })
  await append(store, organization, ids[0]!, [valued('cargo', 'sand')])
  await append(store, organization, object, [valued('driver', 'A. Kaya')])
  const count = { organization, source: 'key', reader: 1, disclosee: 0, requests: 1 } as const
  await store.disclosures.add([
    { ...count, object, day: utcDay(time), data: 'positions', rows: 30 },
    { ...count, object: ids[0]!, day: utcDay(time), data: 'positions', rows: 7 },
  ])
  await store.close()
  const erase = ['attributes', 'erase', '--org', `${organization}`, '--value', 'A. Kaya']
  const { items, recipients } = await jsonHere([...erase, '--dry-run', '--data', folder])
  assert.deepEqual([items.length, items[0].object], [1, object])
  const ofKeys = recipients.filter((each: { source: string }) => each.source === 'key')
  assert.deepEqual(
    ofKeys.map((each: { rows: number; objects: number }) => [each.rows, each.objects]),
    [[30, 1]],
  )
})

it('An object that the organization does not have is named', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await openStore({ folder })
  const organization = await newOrganization(store)
  await store.close()
  const find = ['attributes', 'find', '--org', `${organization}`, '--object', '99', '--value', 'x']
  const { stderr } = await runHere([...find, '--data', folder])
  assert.match(stderr, /has no object 99; 'fleetgate objects list --org 1' lists/)
})
