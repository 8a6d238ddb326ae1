import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { INSTANT, resultOf } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const FIELDS = [
  ...['id', 'name', 'description', 'icon', 'latitude', 'longitude', 'radius'],
  ...['created_at', 'updated_at'],
]

const fleet = await sharedFleet()

describe('GET /sites: 200', () => {
  it('returns the circles as imported, by id', async () => {
    const sites = resultOf(await fleet.full[0]!.get('/sites'))
    for (const site of sites) {
      assert.deepEqual(Object.keys(site), FIELDS)
      assert.match(site.created_at, INSTANT)
      assert.match(site.updated_at, INSTANT)
    }
    const shown = sites.map(
      ({ id, created_at, updated_at, ...rest }: { id: number } & Times) => rest,
    )
    assert.deepEqual(shown, [
      {
        ...{ name: 'Fuel', description: 'Card 7 only', icon: 'fuel' },
        ...{ latitude: 41.0098765, longitude: 28.9512345, radius: 75.5 },
      },
      {
        ...{ name: 'Customer', description: null, icon: null },
        ...{ latitude: 41.05, longitude: 29, radius: null },
      },
    ])
    assert.ok(sites[0].id < sites[1].id)
  })

  it('returns an empty array for an organization without sites', async () => {
    assert.deepEqual(resultOf(await fleet.take().get('/sites')), [])
  })
})

type Times = { created_at: string; updated_at: string }
