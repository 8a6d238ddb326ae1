import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { ORGANIZATION_DEFAULTS } from '../../base/domain/organization.ts'
import { bareFix, type Fix } from '../../base/domain/position/fix.ts'
import { type ObjectState, UNSEEN } from '../../base/domain/position/object-state.ts'
import type { AddresserParts } from '../../base/geocoding/addresser.ts'
import type { Wait } from '../../engine/repeat.ts'
import type { Change, Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { startAddressing } from './addressing.ts'

const NOW = Date.UTC(2026, 10, 20)
const RULES = foldRules({ now: () => NOW, monotonic: () => 0 })

const fail = (error: unknown) => assert.fail(String(error))
const never: Wait = (_ms, signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** A geocoder that returns its queries as addresses, and its list of queries. */
function echoingGeocoder() {
  const asked: string[] = []
  const geocoder: AddresserParts['geocoder'] = {
    async address(latitude, longitude, language) {
      asked.push(`${latitude},${longitude}`)
      return `${language} ${latitude},${longitude}`
    },
    async close() {},
  }
  return { asked, geocoder }
}

/** An organization with objects a and b, whose addresses are looked up until the test is over. */
async function open(t: TestContext, wait = never) {
  const { store, cleanUp } = await temporaryStore()
  const { id } = await store.organizations.create(
    { ...ORGANIZATION_DEFAULTS, name: 'A', language: 'de' },
    NOW,
  )
  await store.objects.ensure(id, ['a', 'b'], NOW)
  const places = echoingGeocoder()
  const addressing = startAddressing(store, places.geocoder, addressees(store), fail, wait)
  t.after(async () => {
    await addressing.stop()
    await cleanUp()
  })
  const send = (object: number, ...fixes: Fix[]) =>
    store.positions.append(
      id,
      fixes.map((fix) => ({ object, fix })),
      RULES,
    )
  const stateOf = async (object: number) =>
    (await store.positions.states(id, [object])).get(object)!
  return { store, id, addressing, send, stateOf, ...places }
}

function addressees(store: Store) {
  return {
    languageOf: async (organization: number) =>
      (await store.organizations.find(organization))!.language,
    async owned(organization: number, objects: number[]) {
      const there = new Set((await store.objects.list(organization)).map(({ id }) => id))
      return objects.filter((object) => there.has(object))
    },
  }
}

/** Waits for the state change after the present one: the found address is stored. */
function stateChanges(store: Store, times: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = times
  const watch = store.watch(({ topic }: Change) => {
    if (topic !== 'states') return
    left -= 1
    if (left > 0) return
    watch.close()
    resolve()
  })
  return promise
}

const fix = (minute: number, latitude: number, more: Partial<Fix> = {}): Fix => ({
  ...bareFix(NOW + minute * 60_000, NOW, latitude, 2),
  ...more,
})

describe('The address lookup', () => {
  it('finds the address of a stored position, in the language of the organization', async (t) => {
    const { store, send, stateOf } = await open(t)
    const found = stateChanges(store, 2)
    await send(1, fix(0, 41))
    await found
    assert.deepEqual((await stateOf(1)).address, { value: 'de 41,2', at: NOW })
  })

  it('queries once for a parked object, despite further packets', async (t) => {
    const { store, send, asked } = await open(t)
    const found = stateChanges(store, 2)
    await send(1, fix(0, 41))
    await found
    const refused = fix(2, 0, { longitude: 0 })
    await send(1, fix(1, 41), refused, fix(1, 41))
    const other = stateChanges(store, 2)
    await send(2, fix(0, 42))
    await other
    assert.deepEqual(asked, ['41,2', '42,2'])
  })

  it('skips objects that send addresses', async (t) => {
    const { store, send, asked, stateOf } = await open(t)
    await send(1, fix(0, 41, { address: 'Gran Via 1' }))
    await send(1, fix(1, 41.1))
    const other = stateChanges(store, 2)
    await send(2, fix(0, 42))
    await other
    assert.deepEqual(asked, ['42,2'])
    assert.equal((await stateOf(1)).address?.value, 'Gran Via 1')
  })

  it('queries after a restart only if an object may have moved since', async (t) => {
    const { store, id, addressing, send, asked } = await open(t)
    const at = (minute: number) => NOW + minute * 60_000
    const lastFix = fix(5, 41)
    const address = { value: 'Here', at: at(3) }
    const stood: ObjectState = { ...UNSEEN, lastFix, address, timeLastMove: at(3) }
    const moved: ObjectState = { ...UNSEEN, lastFix, address, timeLastMove: at(4) }
    await addressing.seed(id, [
      { object: { id: 1 }, state: stood },
      { object: { id: 2 }, state: moved },
    ])
    const found = stateChanges(store, 3)
    await send(1, fix(6, 41))
    await send(2, fix(6, 41))
    await found
    assert.equal(asked.length, 1)
  })

  it('forgets an object that another process deleted', async (t) => {
    const minutes = [Promise.withResolvers<void>()]
    const waited = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let waits = 0
    const wait: Wait = (ms, signal) => {
      const minute = waits++
      waited[minute]!.resolve()
      return minute < minutes.length ? minutes[minute]!.promise : never(ms, signal)
    }
    const { store, id, send, asked } = await open(t, wait)
    const found = stateChanges(store, 2)
    await send(1, fix(0, 41))
    await found
    await store.objects.delete(id, 1)
    minutes[0]!.resolve()
    await waited[1]!.promise
    // An import takes its id again.
    await store.objects.put(
      id,
      [{ ...(await store.objects.find(id, 2))!, id: 1, ident: 'c', name: 'C' }],
      NOW,
    )
    const again = stateChanges(store, 2)
    await send(1, fix(0, 41))
    await again
    assert.deepEqual(asked, ['41,2', '41,2'])
  })
})
