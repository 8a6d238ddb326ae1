import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { handedClock } from '../../../testing/handed-clock.ts'
import type { Disclosure } from '../../base/domain/disclosure.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { openDisclosureCounts } from './disclosure-counts.ts'

const DAY_MS = 86_400_000

function memoryStore() {
  const sums = new Map<string, { requests: number; rows: number }>()
  const store = {
    addSize: 3,
    isDown: false,
    async add(counts: readonly Disclosure[]) {
      if (store.isDown) throw new StoreUnavailable('down')
      for (const count of counts) {
        const { organization, day, source, reader, disclosee, data, object } = count
        const name = [organization, day, source, reader, disclosee, data, object].join(' ')
        add(sums, name, count.requests, count.rows)
      }
    },
    list: async () => [],
    totals: async () => [],
    readers: async () => [],
    purge: async () => undefined,
  }
  return { store, sums }
}

type Sums = Map<string, { requests: number; rows: number }>

function add(sums: Sums, name: string, requests: number, rows: number): void {
  const sum = sums.get(name) ?? { requests: 0, rows: 0 }
  sums.set(name, { requests: sum.requests + requests, rows: sum.rows + rows })
}

describe('Counts of disclosures', () => {
  it('are the plain sums, whatever the lists, days and outages are', async () => {
    const lists = [[1], [1, 2], [2, 3], [1, 2], [3]]
    const step = fc.record({
      does: fc.constantFrom('list', 'rows', 'later', 'write', 'day', 'outage'),
      organization: fc.integer({ min: 1, max: 2 }),
      source: fc.constantFrom('key' as const, 'person' as const),
      reader: fc.integer({ min: 1, max: 2 }),
      disclosee: fc.nat(1),
      data: fc.constantFrom('detail' as const, 'positions' as const),
      list: fc.nat(lists.length - 1),
      rows: fc.nat(9),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = handedClock()
        const { store, sums } = memoryStore()
        const counts = openDisclosureCounts(store, clock)
        const expected: Sums = new Map()
        for (const { does, organization, source, reader: id, disclosee, ...step } of steps) {
          const { data, list, rows } = step
          const objects = lists[list]!
          const reader = { id, organization, disclosee }
          const today = () => Math.floor(clock.now() / DAY_MS)
          const name = (object: number) =>
            [organization, today(), source, id, disclosee, data, object].join(' ')
          if (does === 'day') clock.advanceUs(DAY_MS * 1_000)
          if (does === 'outage') store.isDown = !store.isDown
          if (does === 'write') await counts.write()
          if (does === 'list') {
            counts.of(source).answer(reader, data, { objects })
            for (const object of objects) add(expected, name(object), 1, 1)
          }
          if (does === 'rows') {
            counts.of(source).answer(reader, data, { objects, rows: objects.map(() => rows) })
            for (const object of objects) add(expected, name(object), 1, rows)
          }
          if (does === 'later') {
            counts.of(source).rows(reader, data, objects[0]!, rows)
            add(expected, name(objects[0]!), 0, rows)
          }
        }
        store.isDown = false
        await counts.write()
        assert.deepEqual([...sums].sort(), [...expected].sort())
      }),
      { numRuns: 200 },
    )
  })

  it('are kept through an outage, however many there are', async () => {
    const { store, sums } = memoryStore()
    store.addSize = 100_000
    const counts = openDisclosureCounts(store, handedClock())
    const objects = Array.from({ length: 200_000 }, (_, index) => index)
    store.isDown = true
    for (const id of [1, 2]) {
      counts.of('key').answer({ id, organization: 1, disclosee: 0 }, 'positions', { objects })
      await counts.write()
    }
    store.isDown = false
    await counts.write()
    assert.equal(sums.size, 2 * objects.length)
  })
})
