import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { ATTRIBUTE_DEFAULTS, type AttributeEntry } from '../../src/domain/attributes/catalogue.ts'
import { atOnce, MISSING, newOrganization, type StoreTest } from './fixture.ts'

function entry(name: string, more: Partial<AttributeEntry> = {}): AttributeEntry {
  const type = 'number' as const
  return { ...ATTRIBUTE_DEFAULTS, name, type, label: name, sources: [name], ...more }
}

const FULL: AttributeEntry = {
  ...{ name: 'fuel_level', type: 'number', unit: '%', label: 'Fuel "left"', decimals: 1 },
  ...{ scale: 0.1, offset: -40.5, sources: ['fuel,Level', 'Füllstand'], isCounter: true },
  isPublic: true,
}

export function attributeContract(it: StoreTest): void {
  describe('Attributes', () => {
    it('are kept, replaced, listed by name, and removed', async (store, reopen) => {
      const [id, other] = [await newOrganization(store), await newOrganization(store)]
      await store.attributes.change(id, () => [FULL, entry('_'), entry('9')])
      await store.attributes.change(other, (entries) => [...entries, entry('9', { unit: 'V' })])
      const again = (await reopen()).attributes
      assert.deepEqual(await again.list(id), [entry('9'), entry('_'), FULL])
      const changed = await again.change(id, ([nine, , fuel]) => [
        { ...fuel!, isPublic: false },
        nine!,
      ])
      assert.deepEqual(changed, [entry('9'), { ...FULL, isPublic: false }])
      assert.deepEqual(await store.attributes.list(id), changed)
      await store.organizations.delete(id)
      assert.deepEqual(await store.attributes.list(id), [])
      assert.deepEqual(await store.attributes.list(other), [entry('9', { unit: 'V' })])
      assert.equal(await store.attributes.change(MISSING, () => [FULL]), null)
    })

    it('lose no change of several processes', async (store, reopen) => {
      const id = await newOrganization(store)
      await atOnce(8, [store, await reopen()], ({ attributes }, index) =>
        attributes.change(id, (entries) => [...entries, entry(`a${index}`)]),
      )
      assert.equal((await store.attributes.list(id)).length, 8)
    })

    it('report and note a change, but not an error or the same again', async (store, reopen, {
      settled,
    }) => {
      const id = await newOrganization(store)
      const topics: string[] = []
      const watch = (await reopen()).watch(({ topic }) => void topics.push(topic))
      const noted: unknown[] = []
      const change = (make: (entries: readonly AttributeEntry[]) => AttributeEntry[]) =>
        store.attributes.change(id, make, (after, before) => {
          noted.push([before, after])
          return []
        })
      await change(() => [FULL])
      await change((entries) => [...entries])
      const refusing = change(() => {
        throw new Error('refused')
      })
      await assert.rejects(refusing, /refused/)
      await settled(watch)
      assert.deepEqual(topics, ['attributes'])
      assert.deepEqual(noted, [[[], [FULL]]])
      assert.deepEqual(await store.attributes.list(id), [FULL])
      watch.close()
    })
  })
}
