import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { IdentOwner } from '../../base/domain/routing-rule.ts'
import { StoreUnavailable, type Topic } from '../../engine/store/store.ts'
import { keptRouting } from './routing-cache.ts'

/** Owners in memory. `hold` delays reads, `reads` names them. */
function owned(...owners: [ident: string, organization: number][]) {
  const store = {
    owners: owners.map(([ident, organization]): IdentOwner => ({ ident, organization })),
    reads: [] as string[],
    hold: Promise.resolve(),
    failure: undefined as Error | undefined,
  }
  const routing = keptRouting({
    async *owners(organization) {
      store.reads.push(`${organization ?? 'all'}`)
      const { owners } = store
      const own = owners.filter((each) => each.organization === organization)
      const isRead = ({ ident }: IdentOwner) =>
        organization === undefined || own.some((each) => each.ident === ident)
      const read = owners.filter(isRead)
      yield read.slice(0, 1)
      await store.hold
      if (store.failure !== undefined) throw store.failure
      yield read.slice(1)
    },
    rules: async () => [],
  })
  const change = (organization: number, topic: Topic = 'objects') =>
    routing.outdate({ organization, topic, sequence: 1 })
  return { store, routing, change }
}

describe('The owners of idents', () => {
  it('are read once, and then those of organizations that changed', async () => {
    const { store, routing, change } = owned(['a', 1], ['a', 2], ['b', 2])
    change(1)
    const index = await routing.owners()
    assert.equal(routing.owners(), index)
    assert.deepEqual([index.of('a'), index.of('b'), index.of('c')], [[1, 2], [2], undefined])
    store.owners = [
      { ident: 'a', organization: 1 },
      { ident: 'c', organization: 2 },
    ]
    change(2)
    await routing.owners()
    assert.deepEqual([index.of('a'), index.of('b'), index.of('c')], [[1], undefined, [2]])
    assert.deepEqual(store.reads, ['all', '2'])
  })

  it('end with an assignment, which changes no objects yet', async () => {
    const { store, routing, change } = owned(['a', 1], ['b', 1])
    const index = await routing.owners()
    store.owners = [
      { ident: 'a', organization: 2 },
      { ident: 'b', organization: 1 },
    ]
    change(1, 'idents')
    change(2, 'idents')
    change(2, 'states')
    await routing.owners()
    assert.deepEqual([index.of('a'), index.of('b')], [[2], [1]])
    assert.deepEqual(store.reads, ['all', '1', '2'])
  })

  it('include a change that came during the read', async () => {
    const { store, routing, change } = owned(['a', 1], ['b', 1])
    const { promise, resolve } = Promise.withResolvers<void>()
    store.hold = promise
    const reading = routing.owners()
    await null
    store.owners = [{ ident: 'a', organization: 2 }]
    change(1)
    change(2)
    resolve()
    const index = await reading
    assert.deepEqual([index.of('a'), index.of('b')], [[2], undefined])
  })

  it('are read again after a read that failed, without what it had read', async () => {
    const { store, routing } = owned(['a', 1])
    store.failure = new StoreUnavailable('away')
    await assert.rejects(async () => routing.owners(), StoreUnavailable)
    store.failure = undefined
    store.owners = [{ ident: 'b', organization: 1 }]
    const index = await routing.owners()
    assert.deepEqual([index.of('a'), index.of('b')], [undefined, [1]])
  })

  it('have noted ones until their organization is read again', async () => {
    const { routing, change } = owned(['a', 1])
    const index = await routing.owners()
    index.note('b', [1, 2])
    assert.deepEqual(index.of('b'), [1, 2])
    change(2)
    await routing.owners()
    assert.deepEqual(index.of('b'), [1])
  })

  it('are all known as soon as one of them has an object', async () => {
    const { store, routing, change } = owned(['a', 1])
    const index = await routing.owners()
    store.owners = ['a', 'b', 'c'].flatMap((ident) => [
      { ident, organization: 1 },
      { ident, organization: 2 },
    ])
    change(1)
    await routing.owners()
    assert.deepEqual(['a', 'b', 'c'].map(index.of), [
      [1, 2],
      [1, 2],
      [1, 2],
    ])
  })

  it('are kept when they were noted during a read', async () => {
    const { store, routing, change } = owned(['a', 1], ['c', 2])
    const index = await routing.owners()
    const { promise, resolve } = Promise.withResolvers<void>()
    store.hold = promise
    change(2)
    const reading = routing.owners()
    await null
    index.note('b', [1, 2])
    resolve()
    await reading
    assert.deepEqual(index.of('b'), [1, 2])
    // The next read sees whether it is still so.
    change(2)
    await routing.owners()
    assert.deepEqual(index.of('b'), [1])
  })
})
