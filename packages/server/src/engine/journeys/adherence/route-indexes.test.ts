import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as pass } from 'node:timers/promises'
import type { LonLat, Route } from '../../../base/domain/places/place.ts'
import { openRouteIndexes } from './route-indexes.ts'

const STAYS = new AbortController().signal

/** A zigzag of this many vertices. */
function routeOf(id: number, vertices: number): Route {
  const line = Array.from({ length: vertices }, (_, at): LonLat => [at % 2, (at % 180) / 2])
  return {
    ...{ id, organization: 1, name: 'Zigzag', description: null, color: null, deviation: 100 },
    ...{ points: [], coordinates: [line], createdAt: 0, updatedAt: 0 },
  }
}

/** Reads a route, and counts how often. */
function reading(route: Route | undefined) {
  const each = {
    times: 0,
    async read(): Promise<Route | undefined> {
      each.times += 1
      return route
    },
  }
  return each
}

describe('The index of a route', () => {
  it('is made once for a version, however many ask at once or later', async () => {
    const indexes = openRouteIndexes()
    const first = reading(routeOf(7, 3_000))
    const asked = Array.from({ length: 9 }, () => indexes.find('a 7', first.read, STAYS))
    const [one, ...others] = await Promise.all(asked)
    assert.equal(one!.id, 7)
    for (const other of [...others, await indexes.find('a 7', first.read, STAYS)]) {
      assert.equal(other, one)
    }
    const newer = reading(routeOf(7, 2))
    assert.notEqual(await indexes.find('b 7', newer.read, STAYS), one)
    assert.deepEqual([first.times, newer.times], [1, 1])
  })

  it('is looked for with one read of all who ask at once, and with none if it is kept', async () => {
    const indexes = openRouteIndexes()
    const [route, none] = [reading(routeOf(7, 3)), reading(undefined)]
    const asked = Array.from({ length: 9 }, () => indexes.exists('a 7', route.read))
    assert.deepEqual(new Set(await Promise.all(asked)), new Set([true]))
    assert.equal(await indexes.exists('a 8', none.read), false)
    await indexes.find('a 7', route.read, STAYS)
    assert.equal(await indexes.exists('a 7', none.read), true)
    assert.deepEqual([route.times, none.times], [2, 1])
  })

  it('is not finished when all have gone who waited for it', async () => {
    const indexes = openRouteIndexes()
    const large = reading(routeOf(1, 50_000))
    const [one, other] = [new AbortController(), new AbortController()]
    const asked = [one, other].map(({ signal }) => indexes.find('a 1', large.read, signal))
    const rejected = asked.map((each) => assert.rejects(each, { message: 'nobody waits' }))
    await pass()
    one.abort(new Error('nobody waits'))
    const third = new AbortController()
    const last = indexes.find('a 1', large.read, third.signal)
    other.abort(new Error('nobody waits'))
    // The third one waits for the same index.
    assert.equal((await last)!.id, 1)
    assert.equal(large.times, 1)
    await Promise.all(rejected)

    const leaving = new AbortController()
    const left = indexes.find('b 1', large.read, leaving.signal)
    leaving.abort(new Error('nobody waits'))
    await assert.rejects(left, { message: 'nobody waits' })
    await indexes.find('b 1', large.read, STAYS)
    assert.equal(large.times, 3)
  })

  it('is read again after a failure, and absent without a route', async () => {
    const indexes = openRouteIndexes()
    const failing = () => Promise.reject(new Error('the store is down'))
    await assert.rejects(indexes.find('a 1', failing, STAYS), { message: 'the store is down' })
    assert.equal(await indexes.find('a 1', reading(undefined).read, STAYS), undefined)
    assert.equal((await indexes.find('a 1', reading(routeOf(1, 2)).read, STAYS))!.id, 1)
  })

  it('is dropped when newer ones need its memory', async () => {
    const bytes = (await openRouteIndexes().find('a', reading(routeOf(1, 500)).read, STAYS))!.line
      .bytes
    const indexes = openRouteIndexes(2.5 * bytes)
    const routes = ['a', 'b', 'c'].map(() => reading(routeOf(1, 500)))
    const ask = (at: number) => indexes.find('abc'[at]!, routes[at]!.read, STAYS)
    for (const at of [0, 1, 0, 2, 0, 1]) await ask(at)
    assert.deepEqual(
      routes.map(({ times }) => times),
      [1, 2, 1],
    )
  })
})
