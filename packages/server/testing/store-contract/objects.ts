import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { valuesOf } from '../values-of.ts'
import { idOf, NOW, newObject, newOrganization, objectSettings, type StoreTest } from './fixture.ts'

export function objectContract(it: StoreTest): void {
  describe('The match of a catalogue entry', () => {
    it('is by ident for objects, which is unique within its organization', async (store) => {
      const [first, second] = [await newOrganization(store), await newOrganization(store)]
      const [a, b] = [await newObject(store, first, 'a'), await newObject(store, first, 'b')]
      assert.notEqual(await newObject(store, second, 'a'), a)

      const taken = [{ ...objectSettings('a'), id: b }]
      assert.deepEqual(await store.objects.put(first, taken, NOW), [{ outcome: 'ident_taken' }])
      assert.equal(await store.objects.update(first, b, { ident: 'a' }, NOW), 'ident_taken')
      assert.equal((await store.objects.find(first, b))?.ident, 'b')

      const freed = await store.objects.update(first, a, { ident: 'c' }, NOW)
      assert.ok(freed !== null && typeof freed === 'object' && 'ident' in freed)
      assert.equal(freed.ident, 'c')
      assert.deepEqual(await store.objects.put(first, taken, NOW), [{ outcome: 'updated', id: b }])
    })

    it('ignores the order of the accuracy settings', async (store) => {
      const organization = await newOrganization(store)
      const entry = objectSettings('a')
      await store.objects.put(organization, [entry], NOW)
      const turned = Object.fromEntries(Object.entries(entry.accuracy).reverse())
      const [put] = await store.objects.put(
        organization,
        [{ ...entry, accuracy: turned as typeof entry.accuracy }],
        NOW,
      )
      assert.equal(put?.outcome, 'unchanged')
    })

    it('is by name for places, and among several the lowest id', async (store) => {
      const organization = await newOrganization(store)
      const site = { description: null, icon: null, latitude: 1, longitude: 2, radius: 3 }
      const [first, second] = await store.sites.put(
        organization,
        [
          { ...site, name: 'One' },
          { ...site, name: 'Two' },
        ],
        NOW,
      )
      await store.sites.update(organization, idOf(second), { name: 'One' }, NOW)
      const [put] = await store.sites.put(organization, [{ ...site, name: 'One', radius: 4 }], NOW)
      assert.deepEqual(put, { outcome: 'updated', id: idOf(first) })
      assert.deepEqual(valuesOf(await store.sites.list(organization), 'radius'), [4, 3])
    })

    it('is the same for two simultaneous writers', async (store, reopen) => {
      const organization = await newOrganization(store)
      const other = await reopen()
      const entries = Array.from({ length: 200 }, (_, index) => objectSettings(`${index}`))
      const [a, b] = await Promise.all([
        store.objects.put(organization, entries, NOW),
        other.objects.put(organization, entries, NOW),
      ])
      assert.deepEqual(a.map(idOf), b.map(idOf))
      assert.equal((await store.objects.list(organization)).length, entries.length)
    })
  })
}
