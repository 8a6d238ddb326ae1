import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderWith } from '../harness/sender.ts'

/*
 * People report two things of fuel most often: a filling within a trip counts as negative use, and one 0 as a theft.
 */

const fleet = await startFleet()
const START = Date.UTC(2026, 10, 27, 8)

/** A trip with a position every two minutes, at whose last one the engine is off. */
function trip(ident: string, litres: readonly number[]): Json[] {
  return litres.map((fuel, index) => {
    const isLast = index === litres.length - 1
    return {
      ...{ ident, time_device: START + index * 120_000, attributes: { fuel } },
      ...{ latitude: 50 + index * 0.018, longitude: 10, speed: isLast ? 0 : 60, ignition: !isLast },
    }
  })
}

describe('Fuel of a day, with the catalogue that the server proposes', async () => {
  const sender = await senderWith(fleet, [
    ...trip('filled', [40, 38, 90, 88]),
    ...trip('spike', [60, 59, 0, 58]),
  ])
  await fleet.run('attributes', 'publish', '--all', '--yes', '--org', String(sender.id))
  const range = 'from_date=2026-11-27&to_date=2026-11-27&attributes=fuel'
  const days = resultOf(await sender.get(`/days?${range}`)) as Json[]
  const of = (ident: string) => {
    const id = sender.ids[['filled', 'spike'].indexOf(ident)]
    return days.find(({ object_id }) => object_id === id)!.attributes.fuel
  }

  it('is used and filled, each for itself, if somebody refuels within a trip', () => {
    const level = { first: 40, last: 88, min: 38, max: 90 }
    assert.deepEqual(of('filled'), { ...level, used: 4, filled: 52, drained: 0 })
  })

  it('is not drained by one 0', () => {
    const level = { first: 60, last: 58, min: 58, max: 60 }
    assert.deepEqual(of('spike'), { ...level, used: 2, filled: 0, drained: 0 })
  })
})
