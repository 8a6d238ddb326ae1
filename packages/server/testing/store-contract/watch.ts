import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type Change, type Store, TOPICS } from '../../src/engine/store/store.ts'
import { isOnCitus } from '../servers/shared-postgres.ts'
import { valuesOf } from '../values-of.ts'
import { freshSession, issue, newAccount } from './access-fixture.ts'
import {
  append,
  fixAt,
  NOW,
  newFleet,
  newKey,
  newObject,
  newOrganization,
  type OpenedStore,
  objectSettings,
  type StoreTest,
} from './fixture.ts'

/** A Citus reports a change when its worker shows the rows, so topics may overtake each other. */
function asReported<Value extends string | number>(values: Value[]): Value[] {
  return isOnCitus ? values.toSorted() : values
}

export function watchContract(it: StoreTest): void {
  describe('A watch', () => {
    it('reports changes of other processes, and its own', async (store, reopen, opened) => {
      const organization = await newOrganization(store)
      const watches = [watchAll(opened, store), watchAll(opened, await reopen())]
      const object = await newObject(store, organization)
      await append(store, organization, object, [fixAt(1)])
      await store.organizations.update(organization, { name: 'New' }, NOW)
      const states = opened.toldStates === 'all' ? [`${organization} states`] : []
      for (const { settled, told: reported } of watches) {
        await settled()
        const fed = reported.filter(({ stored }) => stored === undefined)
        assert.deepEqual(
          asReported(fed.map((change) => `${change.organization} ${change.topic}`)),
          asReported([`${organization} objects`, ...states, `${organization} organization`]),
        )
        const sequences = fed.map(({ sequence }) => sequence)
        assert.deepEqual(
          asReported(sequences),
          [...new Set(sequences)].sort((a, b) => a - b),
        )
        const versions = await store.organizations.versions(organization)
        for (const { topic, sequence } of reported) assert.equal(versions[topic], sequence)
      }
    })

    it('includes the states that its own store has written, immediately, and no others', async (store, reopen, opened) => {
      const organization = await newOrganization(store)
      const objects = [
        await newObject(store, organization, 'a'),
        await newObject(store, organization, 'b'),
      ] as const
      const other = await reopen()
      const [mine, others] = [watchAll(opened, store), watchAll(opened, other)]
      const brought = ({ told: reported }: typeof mine) =>
        reported.filter(({ stored }) => stored !== undefined)
      const newest = async () => (await store.organizations.versions(organization)).states
      const steps: [Store, object: number, time: number][] = [
        [store, objects[0], 1],
        [store, objects[1], 1],
        [other, objects[1], 2],
        [store, objects[1], 3],
      ]
      let previous = 0
      for (const [by, object, time] of steps) {
        const [own, foreign] = by === store ? [mine, others] : [others, mine]
        const before = brought(foreign).length
        await append(by, organization, object, [fixAt(time), fixAt(time)])
        const sequence = await newest()
        const states = await store.positions.states(organization, [object])
        assert.equal(states.get(object)?.lastFix?.timeDevice, time)
        const logged = (await store.changeLog.newest([organization])).get(organization)!.seq
        const { stored, ...change } = brought(own).at(-1)!
        assert.deepEqual(change, { organization, topic: 'states', sequence })
        const { positions, ...state } = stored!
        assert.deepEqual(state, { states, previous, logged })
        assert.deepEqual(
          positions().map((each) => [each.object, each.time]),
          [[object, time]],
        )
        assert.equal(brought(foreign).length, before)
        previous = sequence
      }
      assert.equal(brought(mine).length, 3)
    })

    it('delays the write of states until the listener has handled them', async (store) => {
      const { append } = await newFleet(store)
      const order: string[] = []
      store.watch(async ({ stored }) => {
        if (stored === undefined) return
        order.push('told')
        // Other work continues meanwhile.
        await store.organizations.list()
        await yieldToOthers()
        order.push('taken in')
      })
      await append([fixAt(1)])
      order.push('acknowledged')
      assert.deepEqual(order, ['told', 'taken in', 'acknowledged'])
    })

    it('reports a change once, and nothing without a change', async (store, reopen, opened) => {
      const { organization, append, on } = await newFleet(store)
      const { id: key } = await store.keys.issue(organization, newKey('a'), NOW)
      await append([fixAt(1)])
      const other = await reopen()
      const { settled, told: reported } = watchAll(opened, store)
      await other.objects.put(organization, [objectSettings('1')], NOW)
      await on(other).append([fixAt(1), fixAt(1, { speed: 9 })])
      await other.keys.touch([{ organization, key, usedAt: NOW, requests: {} }])
      await settled()
      assert.deepEqual(reported, [])
      await other.keys.revoke(organization, key, NOW)
      await other.keys.revoke(organization, key, NOW)
      await settled()
      await settled()
      assert.deepEqual(valuesOf(reported, 'topic'), ['keys'])
      await other.feedTokens.issue(organization, newKey('b'), NOW)
      await settled()
      assert.deepEqual(valuesOf(reported, 'topic'), ['keys', 'feed_tokens'])
    })

    it('reports nothing about people, the audit log, or usage', async (store, reopen, opened) => {
      const organization = await newOrganization(store)
      const before = await store.organizations.versions(organization)
      const other = await reopen()
      const { audit, usage } = other
      const { settled, told: reported } = watchAll(opened, store)
      const { id } = await newAccount(other, [{ role: 'viewer', organization }])
      await other.access.openSession(freshSession(id), { password: 'a' }, NOW)
      await issue(other, { role: 'viewer', organization })
      const entry = { at: NOW, actor: 'console', action: 'key.revoke', target: 1, name: 'a' }
      await audit.add({ ...entry, organization, changes: null })
      const count = { organization, day: 1, key: 1, operation: 'a', status: 200, requests: 1 }
      await usage.add([count])
      await settled()
      assert.deepEqual(reported, [])
      assert.deepEqual(await store.organizations.versions(organization), before)
    })

    it('reports all topics of a deleted organization', async (store, reopen, opened) => {
      const organization = await newOrganization(store)
      const { settled, told: reported } = watchAll(opened, store)
      await (await reopen()).organizations.delete(organization)
      await settled()
      assert.deepEqual(reported.map(({ topic }) => topic).sort(), [...TOPICS].sort())
    })

    it('reports each kind of catalogue item by its topic', async (store, _reopen, opened) => {
      const organization = await newOrganization(store)
      const { settled, told: reported } = watchAll(opened, store)
      const place = { name: 'a', description: null, color: null, coordinates: [] }
      await store.geofences.put(organization, [place], NOW)
      await store.routes.put(organization, [{ ...place, deviation: null, points: [] }], NOW)
      const site = { name: 'a', description: null, icon: null, radius: 1 }
      await store.sites.put(organization, [{ ...site, latitude: 1, longitude: 1 }], NOW)
      await settled()
      assert.deepEqual(valuesOf(reported, 'topic'), ['geofences', 'routes', 'sites'])
    })

    it('ends when it is closed, and sequences continue after a restart', async (store, reopen, opened) => {
      const { watch, settled, told: reported } = watchAll(opened, store)
      const organization = await newOrganization(store)
      await settled()
      watch.close()
      const again = await reopen()
      await store.close()
      const later = watchAll(opened, again)
      await again.organizations.update(organization, { name: 'New' }, NOW)
      await later.settled()
      watch.catchUp()
      const [first, second, ...more] = [...reported, ...later.told]
      assert.deepEqual([first?.organization, second?.organization], [organization, organization])
      assert.ok(second!.sequence > first!.sequence)
      assert.deepEqual(more, [])
    })
  })

  describe('The secret', () => {
    it('has 32 bytes, and is the same in the whole deployment', async (store, reopen) => {
      const secret = await store.secret()
      assert.equal(secret.symmetricKeySize, 32)
      assert.ok(new Set(secret.export()).size > 8)
      assert.ok((await (await reopen()).secret()).equals(secret))
    })
  })

  describe('A close', () => {
    it('completes pending work, and makes the store unavailable', async (store, reopen) => {
      const writing = newOrganization(store)
      await store.close()
      const id = await writing
      await assert.rejects(newOrganization(store), { name: 'StoreUnavailable' })
      await assert.rejects(store.organizations.list(), { name: 'StoreUnavailable' })
      assert.equal((await (await reopen()).organizations.find(id))?.id, id)
    })
  })
}

function watchAll({ settled }: OpenedStore, store: Store) {
  const reported: Change[] = []
  const watch = store.watch((change) => void reported.push(change))
  return { watch, told: reported, settled: () => settled(watch) }
}
