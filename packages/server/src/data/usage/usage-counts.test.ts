import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { UsageCount } from '../../base/domain/credential.ts'
import { DAY_MS } from '../../base/domain/time/time.ts'
import type { UsageStore } from '../../engine/store/audit-store.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import { openUsageCounts } from './usage-counts.ts'

/** A store that adds counts while it is up, some turns later. */
function summing(addSize: number) {
  const sums = new Map<string, number>()
  const down: { error: Error | null } = { error: null }
  let adding = 0
  const store = {
    addSize,
    async add(counts: readonly UsageCount[]) {
      assert.equal(adding++, 0, 'one at a time')
      await new Promise(setImmediate)
      adding -= 1
      assert.ok(counts.length <= addSize)
      if (down.error !== null) throw down.error
      for (const { organization, day, key, operation, status, requests } of counts) {
        const name = [organization, day, key, operation, status].join()
        sums.set(name, (sums.get(name) ?? 0) + requests)
      }
    },
  } as unknown as UsageStore
  return { store, sums, down }
}

/** A key belongs to one organization. */
const anyCaller = fc.constantFrom(
  { organization: 1, key: 1 },
  { organization: 1, key: 2 },
  { organization: 2, key: 3 },
  { organization: 2, key: undefined },
  { organization: undefined, key: undefined },
)
const anyRequest = fc
  .tuple(anyCaller, fc.constantFrom('ping', 'listObjects'), fc.constantFrom(200, 429))
  .map(([caller, operation, status]) => {
    return { kind: 'request' as const, ...caller, operation, status }
  })
const anyStep = fc.oneof(
  { weight: 8, arbitrary: anyRequest },
  fc.constantFrom(
    { kind: 'write' as const },
    { kind: 'write unseen' as const },
    { kind: 'next day' as const },
    { kind: 'down' as const },
    { kind: 'up' as const },
  ),
)

describe('Usage counts', () => {
  it('are stored without losing a request, over days, outages and simultaneous writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(anyStep), async (size, steps) => {
        const { store, sums, down } = summing(size)
        let now = 20_000 * DAY_MS
        const usage = openUsageCounts(store, { now: () => now, monotonic: () => 0 })
        const model = new Map<string, number>()
        const unseen: Promise<void>[] = []
        for (const step of steps) {
          if (step.kind === 'write') await usage.write()
          if (step.kind === 'write unseen') unseen.push(usage.write())
          if (step.kind === 'next day') now += DAY_MS
          if (step.kind === 'down') down.error = new StoreUnavailable('down')
          if (step.kind === 'up') down.error = null
          if (step.kind !== 'request') continue
          usage.count(step)
          const { organization, key, operation, status } = step
          if (organization === undefined || key === undefined) continue
          const name = [organization, now / DAY_MS, key, operation, status].join()
          model.set(name, (model.get(name) ?? 0) + 1)
        }
        await Promise.all(unseen)
        down.error = null
        await usage.write()
        assert.deepEqual(new Map([...sums].sort()), new Map([...model].sort()))
      }),
    )
  })

  it('from before a write are stored when it resolves, even during another write', async () => {
    const { store, sums } = summing(1)
    const usage = openUsageCounts(store, { now: () => 0, monotonic: () => 0 })
    const request = { organization: 1, key: 1, operation: 'ping', status: 200 }
    usage.count(request)
    const first = usage.write()
    usage.count(request)
    const [second, third] = [usage.write(), usage.write()]
    await Promise.all([second, third])
    assert.deepEqual([...sums.values()], [2])
    await first
  })

  it('are kept after a failure of another kind, which the writer reports', async () => {
    const { store, sums, down } = summing(10)
    const usage = openUsageCounts(store, { now: () => 0, monotonic: () => 0 })
    usage.count({ organization: 1, key: 1, operation: 'ping', status: 200 })
    down.error = new Error('broken')
    await assert.rejects(usage.write(), /broken/)
    down.error = null
    await usage.write()
    assert.deepEqual([...sums.values()], [1])
  })
})
