import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { MAX_NEW_OBJECTS } from '../../src/base/domain/limits.ts'
import type { PutOutcome } from '../../src/engine/store/item-store.ts'
import { valuesOf } from '../values-of.ts'
import { atOnce, MISSING, NOW, newOrganization, objectSettings, type StoreTest } from './fixture.ts'

const MINUTE_MS = 60_000
const TOKEN = 1

export function objectLimitContract(it: StoreTest): void {
  const idents = (count: number, name = 'bus') =>
    Array.from({ length: count }, (_, i) => `${name} ${i}`)
  const outcomesOf = (put: PutOutcome[]) => put.map(({ outcome }) => outcome)

  describe('The limit of objects', () => {
    it('let new objects have the names that they are given', async (store) => {
      const id = await newOrganization(store)
      const names = new Map([
        ['7', 'Van 7'],
        ['8', '8'],
      ])
      const { ids, created } = await store.objects.ensure(id, names, NOW)
      assert.equal(created, 2)
      for (const [ident, name] of names) {
        assert.equal((await store.objects.find(id, ids.get(ident)!))?.name, name)
      }
      await store.objects.ensure(id, new Map([['7', 'Another']]), NOW)
      assert.equal((await store.objects.find(id, ids.get('7')!))?.name, 'Van 7')
    })

    it('applies to objects that are put, and to those created for an ident', async (store) => {
      const id = await newOrganization(store, 'Small', { maxObjects: 3 })
      const put = await store.objects.put(
        id,
        idents(2).map((ident) => objectSettings(ident)),
        NOW,
      )
      assert.deepEqual(outcomesOf(put), ['created', 'created'])
      const made = await store.objects.ensure(id, ['bus 1', 'a', 'b', 'c'], NOW)
      assert.deepEqual([...made.ids.keys()].sort(), ['a', 'bus 1'])
      assert.deepEqual([made.created, made.beyond], [1, 'limit_of_objects'])
      const entries = [objectSettings('d'), objectSettings('a', { vin: 'V' }), objectSettings('e')]
      assert.deepEqual(outcomesOf(await store.objects.put(id, entries, NOW)), [
        'limit_of_objects',
        'updated',
        'limit_of_objects',
      ])
      assert.equal((await store.objects.list(id)).length, 3)
    })

    it('belongs to each organization, and does not apply to its places', async (store) => {
      const id = await newOrganization(store, 'None', { maxObjects: 0 })
      const other = await newOrganization(store)
      const none = await store.objects.ensure(id, ['a'], NOW)
      assert.deepEqual([none.ids.size, none.created, none.beyond], [0, 0, 'limit_of_objects'])
      assert.equal((await store.objects.ensure(other, ['a'], NOW)).created, 1)
      const site = { name: 'S', description: null, icon: null, latitude: 1, longitude: 2 }
      const put = await store.sites.put(id, [{ ...site, radius: null }], NOW)
      assert.deepEqual(outcomesOf(put), ['created'])
      await assert.rejects(store.objects.ensure(MISSING, ['a'], NOW), /no organization/)
    })

    it('keeps existing objects when it is lowered; a deletion frees a place', async (store) => {
      const id = await newOrganization(store, 'Lowered', { maxObjects: 3 })
      const { ids } = await store.objects.ensure(id, idents(3), NOW)
      await store.organizations.update(id, { maxObjects: 2 }, NOW)
      assert.equal((await store.objects.list(id)).length, 3)
      const tryOne = async () => (await store.objects.ensure(id, ['a'], NOW)).created
      assert.equal(await tryOne(), 0)
      await store.objects.delete(id, ids.get('bus 0')!)
      assert.equal(await tryOne(), 0)
      await store.objects.delete(id, ids.get('bus 1')!)
      assert.equal(await tryOne(), 1)
    })

    it('is exact for simultaneous creations', async (store, reopen) => {
      const id = await newOrganization(store, 'Shared', { maxObjects: 50 })
      const made = await atOnce(10, [store, await reopen()], async ({ objects }, n) => {
        if (n < 6) return (await objects.ensure(id, idents(10, `made ${n}`), NOW, n)).created
        const entries = idents(10, `put ${n}`).map((ident) => objectSettings(ident))
        return outcomesOf(await objects.put(id, entries, NOW)).filter(isCreated).length
      })
      assert.equal(sum(made), 50)
      assert.equal((await store.objects.list(id)).length, 50)
    })
  })

  describe('The limit of new objects', () => {
    it('applies to a feed token, in any minute', async (store) => {
      const id = await newOrganization(store)
      const ensure = (name: string, count: number, now: number, token?: number) =>
        store.objects.ensure(id, idents(count, name), now, token)
      assert.equal((await ensure('a', MAX_NEW_OBJECTS - 1, NOW + 30_000, TOKEN)).created, 599)
      const last = await ensure('b', 3, NOW + 59_999, TOKEN)
      assert.deepEqual([last.created, last.beyond], [1, 'limit_of_new_objects'])
      assert.equal((await ensure('b', 1, NOW + 59_999, TOKEN)).beyond, null)
      assert.equal((await ensure('c', 3, NOW + 59_999, TOKEN + 1)).created, 3)
      assert.equal((await ensure('d', 1_000, NOW + 59_999)).created, 1_000)
      assert.equal((await ensure('e', 1, NOW + 30_000 + MINUTE_MS, TOKEN)).created, 0)
      const later = NOW + 31_000 + MINUTE_MS
      assert.equal((await ensure('e', 700, later, TOKEN)).created, 599)
      // A clock that was set back an hour does not cause an hour of waiting.
      assert.equal((await ensure('f', 1, later - 60 * MINUTE_MS, TOKEN)).created, 1)
    })

    it('is exact for simultaneous creations with the same token', async (store, reopen) => {
      const id = await newOrganization(store)
      const made = await atOnce(8, [store, await reopen()], ({ objects }, n) =>
        objects.ensure(id, idents(100, `made ${n}`), NOW + n * 900, TOKEN),
      )
      assert.equal(sum(valuesOf(made, 'created')), MAX_NEW_OBJECTS)
      assert.equal((await store.objects.list(id)).length, MAX_NEW_OBJECTS)
    })
  })
}

function isCreated(outcome: PutOutcome['outcome']): boolean {
  return outcome === 'created'
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
