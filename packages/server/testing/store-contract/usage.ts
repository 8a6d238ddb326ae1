import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { UsageCount } from '../../src/base/domain/credential.ts'
import type { Disclosure } from '../../src/base/domain/disclosure.ts'
import { valuesOf } from '../values-of.ts'
import { atOnce, MISSING, newOrganization, type StoreTest } from './fixture.ts'

const DAY = 20_777

function count(organization: number, more: Partial<UsageCount> = {}): UsageCount {
  const defaults = { day: DAY, key: 1, operation: 'listObjects', status: 200, requests: 1 }
  return { organization, ...defaults, ...more }
}

function disclosed(organization: number, more: Partial<Disclosure> = {}): Disclosure {
  const by = { source: 'key', reader: 1, disclosee: 0 } as const
  return {
    organization,
    day: DAY,
    ...by,
    object: 7,
    data: 'positions',
    requests: 1,
    rows: 3,
    ...more,
  }
}

export function disclosureContract(it: StoreTest): void {
  describe('Disclosures', () => {
    it('are kept apart by disclosee and kind of data, and summed over days', async (store) => {
      const organization = await newOrganization(store)
      const counts = [
        disclosed(organization, { day: DAY - 1, disclosee: 4 }),
        disclosed(organization, { data: 'detail' }),
        disclosed(organization),
        disclosed(organization, { disclosee: 4 }),
        disclosed(organization, { disclosee: 5 }),
      ]
      await store.disclosures.add(counts.toReversed())
      const days = { from: DAY - 1, to: DAY }
      const { list, totals } = store.disclosures
      assert.deepEqual(await list(organization, days, null, 9), counts)
      assert.deepEqual(await list(organization, days, counts[1]!, 9), counts.slice(2))
      assert.deepEqual(await list(organization, { ...days, disclosees: [0, 5] }, null, 9), [
        ...[counts[1], counts[2], counts[4]],
      ])
      assert.deepEqual(await list(organization, { ...days, disclosees: [] }, null, 9), [])
      const { day: _, organization: __, ...rest } = disclosed(organization)
      const total = (more: object) => ({ ...rest, first: DAY, last: DAY, ...more })
      assert.deepEqual(await totals(organization, days), [
        total({ data: 'detail' }),
        total({}),
        total({ disclosee: 4, first: DAY - 1, requests: 2, rows: 6 }),
        total({ disclosee: 5 }),
      ])
      assert.deepEqual(await totals(organization, { ...days, to: DAY - 1, object: 7 }), [
        total({ disclosee: 4, first: DAY - 1, last: DAY - 1 }),
      ])
    })

    it('are added up, listed by day, reader and object in pages, and purged', async (store, reopen) => {
      const organization = await newOrganization(store)
      const counts = [
        disclosed(organization, { day: DAY - 1, reader: 9 }),
        disclosed(organization, { rows: 2 ** 40 }),
        disclosed(organization, { object: 8 }),
        disclosed(organization, { reader: 2 }),
        disclosed(organization, { source: 'person' }),
        disclosed(organization, { day: DAY + 1 }),
      ]
      await store.disclosures.add([])
      await store.disclosures.add([...counts.toReversed(), disclosed(MISSING)])
      await store.disclosures.add([disclosed(organization, { object: 8, requests: 2, rows: 4 })])
      counts[2] = disclosed(organization, { object: 8, requests: 3, rows: 7 })
      const { disclosures } = await reopen()
      const all = { from: DAY - 1, to: DAY + 1 }
      assert.deepEqual(await disclosures.list(organization, all, null, 9), counts)
      assert.deepEqual(await disclosures.list(organization, all, counts[0]!, 2), counts.slice(1, 3))
      const found = (query: object) => disclosures.list(organization, { ...all, ...query }, null, 9)
      assert.deepEqual(await found({ reader: 2 }), [counts[3]])
      assert.deepEqual(await found({ source: 'person' }), [counts[4]])
      assert.deepEqual(await found({ source: 'person', reader: 2 }), [])
      assert.deepEqual(await found({ object: 8 }), [counts[2]])
      assert.deepEqual(await found({ to: DAY - 1 }), [counts[0]])
      assert.deepEqual(await disclosures.list(MISSING, all, null, 9), [])
      const read = await disclosures.readers(organization, DAY, DAY)
      assert.deepEqual(read, [
        { source: 'key', reader: 1, requests: 4, rows: 2 ** 40 + 7, last: DAY },
        { source: 'key', reader: 2, requests: 1, rows: 3, last: DAY },
        { source: 'person', reader: 1, requests: 1, rows: 3, last: DAY },
      ])
      assert.deepEqual(await disclosures.readers(MISSING, DAY, DAY), [])
      await disclosures.purge(new Set([MISSING]), DAY)
      assert.deepEqual(await found({}), counts)
      await disclosures.purge(new Set([organization]), DAY)
      assert.deepEqual(await found({}), counts.slice(1))
      await store.organizations.delete(organization)
      assert.deepEqual(await found({}), [])
    })
  })
}

export function usageContract(it: StoreTest): void {
  describe('Usage', () => {
    it('is listed by day, key, operation and status', async (store, reopen) => {
      const organization = await newOrganization(store)
      const counts = [
        count(organization, { day: DAY - 1, key: 9, requests: 2 ** 40 }),
        count(organization, { operation: 'Zones' }),
        count(organization, { operation: 'getObject', status: 200, requests: 3 }),
        count(organization, { operation: 'getObject', status: 404 }),
        count(organization, { operation: 'get_object' }),
        count(organization, { key: 2, operation: 'Zones' }),
        count(organization, { key: 10 }),
        count(organization, { day: DAY + 1 }),
      ]
      await store.usage.add(counts.toReversed())
      const { usage } = await reopen()
      assert.deepEqual(await usage.list(organization, DAY - 1, DAY + 1), counts)
      assert.deepEqual(await usage.list(organization, DAY, DAY), counts.slice(1, -1))
      assert.deepEqual(await usage.list(organization, DAY - 1, DAY + 1, 2), [counts[5]])
      assert.deepEqual(await usage.list(organization, DAY + 2, DAY + 9), [])
      assert.deepEqual(await usage.list(MISSING, DAY - 1, DAY + 1), [])
    })

    it('is added up, even for repetitions within one call', async (store) => {
      const organization = await newOrganization(store)
      await store.usage.add([])
      await store.usage.add([count(organization), count(organization, { requests: 2 })])
      await store.usage.add([count(organization, { requests: 4 })])
      assert.deepEqual(await store.usage.list(organization, DAY, DAY), [
        count(organization, { requests: 7 }),
      ])
    })

    it('is exact under simultaneous additions, in any order', async (store, reopen) => {
      const organizations = [await newOrganization(store), await newOrganization(store)]
      const counts = organizations.flatMap((organization) =>
        Array.from({ length: 200 }, (_, key) => count(organization, { key, requests: key + 1 })),
      )
      await atOnce(12, [store, await reopen()], ({ usage }, index) =>
        usage.add(index % 3 === 0 ? counts.toReversed() : counts),
      )
      for (const organization of organizations) {
        assert.deepEqual(
          valuesOf(await store.usage.list(organization, DAY, DAY), 'requests'),
          Array.from({ length: 200 }, (_, key) => 12 * (key + 1)),
        )
      }
    })

    it('is dropped with its organization, and other usage is kept', async (store) => {
      const [gone, kept] = [await newOrganization(store), await newOrganization(store)]
      await store.usage.add([count(gone), count(kept)])
      await store.organizations.delete(gone)
      assert.deepEqual(await store.usage.list(gone, DAY, DAY), [])
      await store.usage.add([count(gone), count(kept), count(MISSING)])
      assert.deepEqual(await store.usage.list(gone, DAY, DAY), [])
      assert.deepEqual(
        await store.usage.byOrganization(DAY),
        new Map([[kept, new Map([[200, 2]])]]),
      )
    })

    it('keeps nothing of an organization that is deleted meanwhile, without an error', async (store, reopen) => {
      const other = await reopen()
      const kept = await newOrganization(store)
      for (let round = 0; round < 5; round += 1) {
        const going = await newOrganization(store)
        const counts = [kept, going].flatMap((organization) =>
          Array.from({ length: 50 }, (_, key) => count(organization, { key })),
        )
        await Promise.all([
          ...Array.from({ length: 4 }, () => other.usage.add(counts)),
          store.organizations.delete(going),
          ...Array.from({ length: 4 }, () => other.usage.add(counts.toReversed())),
        ])
        assert.deepEqual(await store.usage.list(going, DAY, DAY), [])
      }
      assert.deepEqual(
        await store.usage.byOrganization(DAY),
        new Map([[kept, new Map([[200, 5 * 8 * 50]])]]),
      )
    })

    it('is summed for every organization by status', async (store) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      await newOrganization(store)
      await store.usage.add([
        count(one, { requests: 2 }),
        count(one, { key: 2, requests: 3 }),
        count(one, { operation: 'getObject', requests: 5 }),
        count(one, { status: 429, requests: 7 }),
        count(one, { day: DAY - 1, requests: 100 }),
        count(two, { status: 500 }),
      ])
      assert.deepEqual(
        await store.usage.byOrganization(DAY),
        new Map([
          [
            one,
            new Map([
              [200, 10],
              [429, 7],
            ]),
          ],
          [two, new Map([[500, 1]])],
        ]),
      )
      assert.deepEqual(await store.usage.byOrganization(DAY + 1), new Map())
    })

    it('from before a day is purged, in any amount', async (store) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const old = Array.from({ length: 6_000 }, (_, index) =>
        count(index % 2 === 0 ? one : two, { day: DAY - 1 - (index % 7), key: index }),
      )
      await store.usage.add([...old, count(one), count(two, { day: DAY + 1 })])
      await store.usage.purge(DAY)
      assert.deepEqual(await store.usage.list(one, 0, DAY + 1), [count(one)])
      assert.deepEqual(await store.usage.list(two, 0, DAY + 1), [count(two, { day: DAY + 1 })])
    })
  })
}
