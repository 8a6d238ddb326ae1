import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seeded } from '../../../packages/server/testing/random.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { shuffled } from '../replica/operations/rows.ts'
import { filledAndDrained, kindsOf, tankFleet } from './tank.ts'

const fleet = await startFleet()
const random = seeded('levels', 1)

/** Every row of a day in another order. */
const ARRIVALS: Readonly<Record<string, (rows: Json[]) => Json[][]>> = {
  'in order': (rows) => parts(rows, 1_000),
  'in order, some at a time': (rows) => parts(rows, 97),
  'the second half first': (rows) => [rows.slice(350), rows.slice(0, 350)],
  'without the filling, which comes last': (rows) => [
    rows.filter((_, at) => at < 195 || at > 206),
    rows.slice(195, 207),
  ],
  'each seventh late': (rows) => [
    rows.filter((_, at) => at % 7),
    rows.filter((_, at) => !(at % 7)),
  ],
  'in any order': (rows) => parts(shuffled(random, rows), 150),
  backwards: (rows) => parts(rows.toReversed(), 250),
}

function parts(rows: Json[], size: number): Json[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
    rows.slice(at * size, (at + 1) * size),
  )
}

/** A change without what depends on its object, and on when it was derived. */
function facts({ id, object_id, ident, name, revision, updated_at, ...rest }: Json): Json {
  return rest
}

describe('GET /levels of rows that arrive', async () => {
  const first = filledAndDrained('in order')
  const tanks = await tankFleet(fleet, first)
  const expected = (await tanks.until((all) => kindsOf(all).join() === 'filled,drained')).map(facts)

  for (const [ident, arrival] of Object.entries(ARRIVALS).slice(1)) {
    it(`${ident}: the same as in order`, async () => {
      for (const part of arrival(filledAndDrained(ident))) {
        await tanks.post(part)
        // So that each part is derived before the next one comes.
        await tanks.levels()
      }
      const own = (all: Json[]) => all.filter((each) => each.ident === ident).map(facts)
      const found = await tanks.until((all) => {
        const mine = own(all)
        return mine.length === 2 && JSON.stringify(mine) === JSON.stringify(expected)
      })
      assert.deepEqual(own(found), expected)
    })
  }
})
