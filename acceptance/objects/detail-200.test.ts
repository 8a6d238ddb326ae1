import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { FIXES, positionRow } from '../harness/fleet-data.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('GET /objects/{id}: 200', async () => {
  const organization = fleet.full[0]!
  const { van, truck, silent } = organization.objects
  const list = resultOf(await organization.get('/objects'))

  it('returns the fields of the list item, then the present position', async () => {
    const detail = resultOf(await organization.get(`/objects/${van}`))
    const { latitude, longitude, altitude, angle, speed } = positionRow(FIXES.van.at(-1)!, van)
    const expected = { ...list[0], latitude, longitude, altitude, angle, speed }
    assert.deepEqual(detail, expected)
    assert.deepEqual(Object.keys(detail), Object.keys(expected))
  })

  it('returns null for fields that the last fix did not have', async () => {
    const detail = resultOf(await organization.get(`/objects/${truck}`))
    const { latitude, longitude, altitude, angle, speed } = detail
    assert.deepEqual(
      { latitude, longitude, altitude, angle, speed },
      { latitude: -33.8587844, longitude: 151.2152967, altitude: null, angle: null, speed: 48.28 },
    )
  })

  it('returns nulls for an object that has never reported', async () => {
    const detail = resultOf(await organization.get(`/objects/${silent}`))
    const nowhere = { latitude: null, longitude: null, altitude: null, angle: null, speed: null }
    assert.deepEqual(detail, { ...list[3], ...nowhere })
  })
})
