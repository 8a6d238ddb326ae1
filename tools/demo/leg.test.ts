import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seeded } from '../../packages/server/testing/random.ts'
import { drive, type Sighting } from './leg.ts'
import { PLACES } from './places.ts'
import { distance } from './plane.ts'
import { spotOn, wayBetween } from './street-network.ts'

/** Two places by name and a seed: a failing leg itself would print the whole network. */
const someLeg = fc
  .tuple(
    fc.constantFrom(...PLACES.map(({ name }) => name)),
    fc.constantFrom(...PLACES.map(({ name }) => name)),
    fc.integer(),
  )
  .filter(([from, to]) => from !== to)

function driven([fromName, toName, seed]: [string, string, number]) {
  const from = PLACES.find(({ name }) => name === fromName)!.spot
  const to = PLACES.find(({ name }) => name === toName)!.spot
  return { from, to, leg: drive(wayBetween(from, to), seeded(seed)) }
}

const pointOf = ({ stretch, at }: Sighting) => spotOn(stretch, at).point

test('a leg begins and ends at rest, at its places', () => {
  fc.assert(
    fc.property(someLeg, (some) => {
      const { from, to, leg } = driven(some)
      assert.equal(leg.at(0).speed, 0)
      assert.equal(leg.at(0).driven, 0)
      assert.equal(leg.at(leg.seconds).speed, 0)
      assert.equal(leg.at(leg.seconds).driven, leg.length)
      assert.ok(distance(pointOf(leg.at(0)), from.point) < 0.01)
      assert.ok(distance(pointOf(leg.at(leg.seconds)), to.point) < 0.01)
    }),
  )
})

test('the distance is the sum of the speeds, and no vehicle brakes or accelerates abruptly', () => {
  fc.assert(
    fc.property(someLeg, (some) => {
      const { leg } = driven(some)
      const step = 0.1
      let metres = 0
      let before = leg.at(0)
      for (let time = step; time <= leg.seconds; time += step) {
        const now = leg.at(time)
        metres += ((before.speed + now.speed) / 2) * step
        assert.ok(now.driven >= before.driven)
        assert.ok(now.speed < 25, `${now.speed} m/s`)
        // Cruising speed may change abruptly with the traffic between two stretches.
        assert.ok(now.speed - before.speed < 1.4 * step + 0.01)
        assert.ok(
          distance(pointOf(before), pointOf(now)) <= (now.driven - before.driven) / 1000 + 0.01,
        )
        before = now
      }
      assert.ok(Math.abs(metres - leg.length / 1000) < 0.01 * metres + 5, `${metres} m`)
    }),
    { numRuns: 20 },
  )
})
