import assert from 'node:assert/strict'
import { it } from 'node:test'
import { NOW, newObject, newOrganization } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { MAX_ERASURES } from '../../engine/store/position-store.ts'

it(`An object has at most ${MAX_ERASURES} erased ranges`, async (t) => {
  const { store } = await temporaryStore(t)
  const organization = await newOrganization(store)
  const object = await newObject(store, organization, '1')
  const erase = (from: number) =>
    store.positions.erase(organization, object, { ranges: [{ from, to: from }] }, NOW)
  await Promise.all(Array.from({ length: MAX_ERASURES }, (_, from) => erase(from)))
  assert.equal(await erase(MAX_ERASURES), 'too_many')
  assert.notEqual(await erase(0), 'too_many')
})
