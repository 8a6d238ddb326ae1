import assert from 'node:assert/strict'
import { describe } from 'node:test'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
  type StoredAttribute,
} from '../../src/base/domain/attributes/attribute-catalogue.ts'
import { fixIn } from '../../src/base/domain/position/position-columns.ts'
import type { Store } from '../../src/engine/store/store.ts'
import type { NewFix } from '../../src/engine/tracking/fold-tables.ts'
import {
  atOnce,
  fixAt,
  MISSING,
  NOW,
  newObject,
  newOrganization,
  PLAIN,
  type StoreTest,
} from './fixture.ts'

function entry(name: string, more: Partial<AttributeEntry> = {}): AttributeEntry {
  const type = 'number' as const
  return { ...ATTRIBUTE_DEFAULTS, name, type, label: name, sources: [name], ...more }
}

const FULL: AttributeEntry = {
  ...{ name: 'fuel_level', type: 'number', unit: '%', label: 'Fuel "left"', decimals: 1 },
  ...{ scale: 0.1, offset: -40.5, minimum: -40, maximum: 0.5, none: [85, ''] },
  ...{
    sources: ['fuel,Level', 'Füllstand'],
    holds: null,
    endsWithIgnition: false,
    isCounter: true,
    maximumRate: 12.5,
    isLevel: false,
    threshold: 2.5,
    smoothing: 60,
    isPublic: true,
  },
}

/** The entries as they were given. */
function given(entries: readonly StoredAttribute[] | null): AttributeEntry[] | undefined {
  return entries?.map(({ id: _, ...settings }) => settings)
}

export function attributeContract(it: StoreTest): void {
  describe('Attributes', () => {
    it('are kept, replaced, listed by name, and removed', async (store, reopen) => {
      const [id, other] = [await newOrganization(store), await newOrganization(store)]
      await store.attributes.change(id, () => [FULL, entry('_'), entry('9')])
      await store.attributes.change(other, (entries) => [...entries, entry('9', { unit: 'V' })])
      const again = (await reopen()).attributes
      assert.deepEqual(given(await again.list(id)), [entry('9'), entry('_'), FULL])
      const changed = await again.change(id, ([nine, , fuel]) => [
        { ...fuel!, isPublic: false },
        nine!,
      ])
      assert.deepEqual(given(changed), [entry('9'), { ...FULL, isPublic: false }])
      assert.deepEqual(await store.attributes.list(id), changed)
      await store.organizations.delete(id)
      assert.deepEqual(await store.attributes.list(id), [])
      assert.deepEqual(given(await store.attributes.list(other)), [entry('9', { unit: 'V' })])
      assert.equal(await store.attributes.change(MISSING, () => [FULL]), null)
    })

    it('have ids that nothing changes, and that no other entry gets', async (store, reopen) => {
      const id = await newOrganization(store)
      const known = new Map<string, number>()
      /** Returns the ids of the entries with these names, each of which is new or as it was. */
      const put = async (
        at: Store,
        names: readonly string[],
        more: Partial<AttributeEntry> = {},
      ) => {
        const before = await at.attributes.list(id)
        const entries = names.map((name) => entry(name, more))
        const after = await at.attributes.change(id, () => entries)
        assert.deepEqual(await at.attributes.list(id), after)
        for (const { name, id: own } of after!) {
          const old = before.find((each) => each.name === name)
          if (old !== undefined) assert.equal(own, old.id)
          else assert.ok(![...known.values()].includes(own), `${name} has a used id`)
          assert.ok(Number.isSafeInteger(own) && own > 0)
          known.set(`${name} ${own}`, own)
        }
      }
      await put(store, ['b', 'd'])
      await put(store, ['a', 'b', 'c', 'd'], { unit: 'l' })
      await put(await reopen(), ['a', 'b', 'c', 'd'], { unit: '%' })
      await put(store, [])
      await put(await reopen(), ['d', 'e'])
      await put(store, ['a', 'd'])
      assert.equal(new Set(known.values()).size, 7)
      // An id is not given.
      await store.attributes.change(id, ([first]) => [{ ...first!, name: 'z' }])
      const [renamed] = await store.attributes.list(id)
      assert.ok(![...known.values()].includes(renamed!.id))
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
      const [stored] = await store.attributes.list(id)
      assert.deepEqual(given([stored!]), [FULL])
      assert.deepEqual(noted, [[[], [stored]]])
      watch.close()
    })

    it('have at most 2,000 names in an organization, sources of its catalogue aside', async (store, reopen) => {
      const [id, other] = [await newOrganization(store), await newOrganization(store)]
      const objects: number[] = []
      for (let index = 0; index < 33; index += 1) {
        objects.push(await newObject(store, id, String(index)))
      }
      const sent = async (at: Store, object: number, names: readonly string[], time = NOW) => {
        const attributes = names.toSorted().map((name) => ({ name, value: 1 }))
        const packet: NewFix = { object, fix: fixAt(time, { attributes }) }
        assert.deepEqual(await at.positions.append(id, [packet], PLAIN), ['accepted'])
        return packet.dropped ?? {}
      }
      const namesOf = (index: number) =>
        Array.from({ length: 62 }, (_, n) => `n${String(index * 62 + n).padStart(4, '0')}`)
      await store.attributes.change(id, () => [entry('fuel', { sources: ['fuel', 'tank'] })])
      for (let index = 0; index < 32; index += 1) {
        assert.deepEqual(await sent(store, objects[index]!, ['fuel', ...namesOf(index)]), {})
      }
      const second = await reopen()
      const sixteen = Array.from({ length: 17 }, (_, n) => `z${10 + n}`)
      const last = objects[32]!
      assert.deepEqual(await sent(second, last, [...sixteen, 'tank', 'n0001']), {
        limit_of_names: ['z26'],
      })
      assert.deepEqual(await sent(second, last, ['z25', 'z26'], NOW + 1), {
        limit_of_names: ['z26'],
      })
      const [reject] = await store.positions.rejects(id, last)
      assert.deepEqual([reject!.reason, reject!.unread], ['limit_of_names', ['z26']])
      const { attributes } = (await store.positions.states(id, [last])).get(last)!
      const kept = attributes.map(({ name }) => name)
      assert.deepEqual(kept, ['n0001', 'tank', ...sixteen.slice(0, 16)].sort())
      assert.equal(await store.objects.delete(id, objects[31]!), true)
      assert.deepEqual(await sent(store, last, ['z26', 'n0001', 'fuel'], NOW + 2), {})
      const elsewhere = await newObject(store, other, 'other')
      const packet: NewFix = {
        object: elsewhere,
        fix: fixAt(NOW, { attributes: [{ name: 'more', value: 1 }] }),
      }
      await store.positions.append(other, [packet], PLAIN)
      assert.equal(packet.dropped, undefined)
    })

    it('are forgotten until they are sent again, and stay readable', async (store, reopen, {
      settled,
    }) => {
      const [id, other] = [await newOrganization(store), await newOrganization(store)]
      const [a, b, c] = [
        await newObject(store, id, 'a'),
        await newObject(store, id, 'b'),
        await newObject(store, other, 'c'),
      ]
      const send = async (object: number, time: number, names: readonly string[]) => {
        const attributes = names.map((name) => ({ name, value: time }))
        const packet: NewFix = { object, fix: fixAt(NOW + time, { attributes }) }
        const of = object === c ? other : id
        assert.deepEqual(await store.positions.append(of, [packet], PLAIN), ['accepted'])
      }
      for (const object of [a, b, c]) await send(object, 10, ['door', 'fuel', 'io1'])
      const second = await reopen()
      const topics: string[] = []
      const watch = second.watch(({ topic, organization }) => {
        if (organization === id) topics.push(topic)
      })
      const noted: unknown[] = []
      const next = await store.positions.forgetNames(
        id,
        new Set(['door', 'io1', 'none']),
        0,
        (after) => {
          noted.push(after)
          return []
        },
      )
      assert.deepEqual([next, noted], [null, [null]])
      await settled(watch)
      assert.deepEqual(topics, ['states'])
      watch.close()
      const namesOf = async (at: Store, object: number) => {
        const state = (await at.positions.states(object === c ? other : id, [object])).get(object)!
        return state.attributes
      }
      const none = { value: null, at: 0, count: 0, isForgotten: true as const }
      const fuel = { name: 'fuel', value: 10, at: NOW + 10, count: 1 }
      for (const at of [store, second]) {
        const expected = [{ name: 'door', ...none }, fuel, { name: 'io1', ...none }]
        assert.deepEqual(await namesOf(at, a), expected)
        assert.equal(
          (await namesOf(at, c)).some(({ isForgotten }) => isForgotten),
          false,
        )
      }
      // Also the fold of a late fix reads them.
      await send(a, 5, ['fuel', 'new'])
      const page = await store.positions.history(id, a, { from: 0, to: 2 ** 47 }, null)
      const stored: unknown[] = []
      const names = await namesOf(store, a)
      for await (const block of page.blocks) {
        for (let row = 0; row < block.rows; row += 1)
          stored.push(fixIn(block, row, names).attributes)
      }
      const valued = (value: number, ...given: string[]) => given.map((name) => ({ name, value }))
      assert.deepEqual(stored, [valued(5, 'fuel', 'new'), valued(10, 'door', 'fuel', 'io1')])
      await send(a, 20, ['io1'])
      assert.deepEqual((await namesOf(second, a))[2], {
        ...{ name: 'io1', value: 20, at: NOW + 20, count: 1 },
      })
      // An object that is deleted gives up only the names that it has.
      await store.objects.delete(id, b)
      const roomFor = async (count: number, time: number) => {
        const given = Array.from({ length: count }, (_, n) => `z${n + 10_000}`)
        const dropped: (string[] | undefined)[] = []
        for (let from = 0; from < count; from += 400) {
          const attributes = given.slice(from, from + 400).map((name) => ({ name, value: 1 }))
          const object = await newObject(store, id, `z${from} ${time}`)
          const packet: NewFix = { object, fix: fixAt(NOW + time, { attributes }) }
          await store.positions.append(id, [packet], PLAIN)
          dropped.push(packet.dropped?.limit_of_names)
        }
        return dropped.flatMap((each) => each ?? [])
      }
      // The organization has fuel, new and io1.
      assert.deepEqual(await roomFor(1_998, 30), ['z11997'])
    })
  })
}
