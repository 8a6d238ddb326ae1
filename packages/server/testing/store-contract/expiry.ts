import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Store } from '../../src/store/store.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  idOf,
  NOW,
  newFleet,
  newObject,
  newOrganization,
  objectSettings,
  recordsOf,
  type StoreTest,
} from './fixture.ts'

export function expiryContract(it: StoreTest): void {
  describe('purgeExpired', () => {
    it('deletes positions older than a moment, and hides the newest of them', async (store, reopen) => {
      const { organization, object } = await newFleet(store)
      await append(store, organization, object, [1, 2, 3, 4, 5].map(at))
      assert.equal(await count(store, organization, object), 5)
      await purge(store, organization, 4)
      assert.equal(await count(store, organization, object), 2)
      await purge(store, organization, 4)
      await purge(store, organization, 3)
      assert.equal(await count(await reopen(), organization, object), 2)
      await purge(store, organization, 1_000)
      assert.equal(await count(store, organization, object), 0)
    })

    it('processes long histories and many objects in slices', async (store) => {
      const organization = await newOrganization(store)
      const entries = Array.from({ length: 450 }, (_, index) => objectSettings(`${index}`))
      const ids = (await store.objects.put(organization, entries, NOW)).map(idOf)
      const long = [ids[0]!, ids[449]!]
      for (const object of long) {
        const fixes = Array.from({ length: 3_500 }, (_, index) => at(index))
        await append(store, organization, object, fixes)
      }
      await append(store, organization, ids[200]!, [at(7), at(3_450)])
      const slices = await purge(store, organization, 3_400)
      assert.ok(slices > 7, `${slices} slices`)
      for (const object of long) assert.equal(await count(store, organization, object), 100)
      assert.equal(await count(store, organization, ids[200]!), 1)
    })

    it('keeps the state, and the counters of later positions', async (store) => {
      const { organization, object } = await newFleet(store)
      await append(store, organization, object, [1, 2, 3, 4].map(at))
      const state = async () => (await store.positions.states(organization)).get(object)
      const records = () => recordsAfter(store, organization, object, 3)
      const [stateBefore, recordsBefore] = [await state(), await records()]
      const versions = await store.organizations.versions(organization)
      await purge(store, organization, 3)
      assert.deepEqual(await state(), stateBefore)
      assert.deepEqual(await records(), recordsBefore)
      assert.deepEqual(await store.organizations.versions(organization), versions)
    })

    it('does not change a history that began after that moment', async (store) => {
      const { organization, object } = await newFleet(store)
      const times = Array.from({ length: 5_000 }, (_, index) => index)
      await append(store, organization, object, times.map(at))
      const expected = await recordsAfter(store, organization, object, 2_000)
      const range = { from: 2_000, to: ALL_TIME.to }
      const { blocks } = await store.positions.history(organization, object, range, null)
      const read: Uint8Array[] = []
      for await (const block of blocks) {
        if (read.length === 0) await purge(store, organization, 2_000)
        read.push(block)
      }
      assert.deepEqual(Buffer.concat(read), expected)
    })

    it('does not change other organizations', async (store) => {
      const [owner, other] = [await newOrganization(store), await newOrganization(store)]
      const objects = [await newObject(store, owner), await newObject(store, other)]
      await append(store, owner, objects[0]!, [1, 2, 3].map(at))
      await append(store, other, objects[1]!, [1, 2, 3].map(at))
      await purge(store, owner, 1_000)
      assert.equal(await count(store, owner, objects[0]!), 0)
      assert.equal(await count(store, other, objects[1]!), 3)
    })
  })
}

/** A moving fix, so that there is something to count. */
function at(time: number) {
  return fixAt(time, { longitude: -97.75 + time / 1_000, speed: 40 })
}

/** Returns the number of slices. */
async function purge(store: Store, organization: number, before: number): Promise<number> {
  let slices = 0
  for (let after: number | null = 0; after !== null; slices++) {
    after = await store.positions.purgeExpired(organization, before, after)
  }
  return slices
}

function count(store: Store, organization: number, object: number): Promise<number> {
  return store.positions.count(organization, object, ALL_TIME, 100_000)
}

async function recordsAfter(store: Store, organization: number, object: number, from: number) {
  const range = { from, to: ALL_TIME.to }
  return recordsOf(await store.positions.history(organization, object, range, null))
}
