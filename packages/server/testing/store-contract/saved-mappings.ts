import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { MAX_MAPPINGS, type SavedMapping } from '../../src/base/domain/import-formats.ts'
import { MISSING, NOW, newOrganization, type StoreTest } from './fixture.ts'

const SETTINGS = {
  ...{ columns: { ident: 'bus' }, encoding: null, delimiter: ';', decimal: ',', dates: 'DMY' },
  ...{ speedUnit: 'mph', distanceUnit: null, timezone: 'Europe/Berlin' },
}

export function savedMappingContract(it: StoreTest): void {
  const mapping = (id: number, more: Partial<SavedMapping> = {}): SavedMapping => ({
    ...{
      id,
      kind: 'positions',
      headings: ['bus', 'Zeit, "GPS"'],
      name: 'Buses',
      settings: SETTINGS,
    },
    ...{ savedAt: NOW + id, ...more },
  })

  describe('Saved mappings', () => {
    it('are kept, replaced, listed with the newest first, and deleted', async (store, reopen) => {
      const [id, other] = [await newOrganization(store), await newOrganization(store)]
      await store.savedMappings.put(id, mapping(1))
      await store.savedMappings.put(id, mapping(2 ** 48 - 1, { savedAt: NOW + 2 }))
      await store.savedMappings.put(other, mapping(1, { kind: 'objects' }))
      const later = mapping(1, {
        savedAt: NOW + 9,
        settings: { ...SETTINGS, dates: null },
      })
      await (await reopen()).savedMappings.put(id, later)
      const newest = mapping(2 ** 48 - 1, { savedAt: NOW + 2 })
      assert.deepEqual(await store.savedMappings.list(id), [later, newest])
      assert.equal(await store.savedMappings.rename(id, 1, 'Trams'), true)
      await store.savedMappings.put(id, later)
      assert.equal((await store.savedMappings.list(id))[0]!.name, 'Trams')
      assert.equal(await store.savedMappings.rename(id, 3, 'Trams'), false)
      assert.equal(await store.savedMappings.delete(id, 1), true)
      assert.equal(await store.savedMappings.delete(id, 1), false)
      assert.deepEqual(await store.savedMappings.list(id), [newest])
      assert.equal((await store.savedMappings.list(other))[0]!.kind, 'objects')
      await store.organizations.delete(id)
      await store.savedMappings.put(MISSING, mapping(3))
      assert.deepEqual(await store.savedMappings.list(id), [])
    })

    it('are limited to the newest', async (store) => {
      const id = await newOrganization(store)
      for (let at = 1; at <= MAX_MAPPINGS + 1; at += 1)
        await store.savedMappings.put(id, mapping(at))
      const kept = await store.savedMappings.list(id)
      assert.deepEqual([kept.length, kept.at(-1)!.id], [MAX_MAPPINGS, 2])
    })
  })
}
