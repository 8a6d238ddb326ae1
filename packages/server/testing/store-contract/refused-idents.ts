import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { MAX_REFUSED_IDENTS, type RefusedIdent } from '../../src/base/domain/routing-rule.ts'
import { MISSING, NOW, newObject, newOrganization, type StoreTest } from './fixture.ts'

export function refusedIdentContract(it: StoreTest): void {
  const refused = (ident: string, more: Partial<RefusedIdent> = {}): RefusedIdent => ({
    ...{ ident, reason: 'unknown_ident', packets: 1, lastAt: NOW, latitude: 1.5, longitude: 2 },
    ...more,
  })

  describe('Refused idents', () => {
    it('are added up, and the latest sender comes first', async (store, reopen) => {
      const [id, other] = [await newOrganization(store), await newOrganization(store)]
      await store.refusedIdents.add(id, [refused('a', { packets: 2 }), refused('b')])
      const newer = { lastAt: NOW + 1, latitude: null, longitude: null } as const
      const later = refused('a', { reason: 'limit_of_objects', packets: 3, ...newer })
      await (await reopen()).refusedIdents.add(id, [later])
      assert.deepEqual(await store.refusedIdents.list(id), [{ ...later, packets: 5 }, refused('b')])
      assert.deepEqual(await store.refusedIdents.list(other), [])
    })

    it('are deleted with their organization, and leave the list when an object has the ident', async (store) => {
      const id = await newOrganization(store)
      await store.refusedIdents.add(id, [refused('a'), refused('b')])
      const object = await newObject(store, id, 'a')
      assert.deepEqual(await store.refusedIdents.list(id), [refused('b')])
      await store.refusedIdents.add(id, [refused('c')])
      await store.objects.delete(id, object)
      assert.deepEqual(await store.refusedIdents.list(id), [refused('b'), refused('c')])
      await store.organizations.delete(id)
      await store.refusedIdents.add(id, [refused('d')])
      await store.refusedIdents.add(MISSING, [refused('d')])
      assert.deepEqual(await store.refusedIdents.list(id), [])
    })

    it('are limited to the latest senders', async (store) => {
      const id = await newOrganization(store)
      const many = Array.from({ length: MAX_REFUSED_IDENTS }, (_, i) =>
        refused(`bus ${i}`, { lastAt: NOW + i }),
      )
      await store.refusedIdents.add(id, many)
      await store.refusedIdents.add(id, [refused('new', { lastAt: NOW + 1_000 })])
      const listed = await store.refusedIdents.list(id)
      assert.equal(listed.length, MAX_REFUSED_IDENTS)
      assert.deepEqual([listed[0]!.ident, listed.at(-1)!.ident], ['new', 'bus 1'])
    })
  })
}
