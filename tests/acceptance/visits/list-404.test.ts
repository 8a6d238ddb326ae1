import { describe, it } from 'node:test'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { RANGE } from '../trips/records-fleet.ts'

const fleet = await startFleet()

describe('GET /visits: 404', () => {
  it('answers alike to places of others and missing ones', async () => {
    const [owner, stranger] = [fleet.full[0]!, fleet.take()]
    const [site] = resultOf(await owner.get('/sites'))
    const [geofence] = resultOf(await owner.get('/geofences'))
    const asked = [`sites=${site.id}`, `geofences=${geofence.id}`, 'sites=999999999']
    for (const places of asked) {
      const answer = await stranger.get(`/visits?${RANGE}&${places}`)
      assertRefused(answer, 404, 'PUBLIC.404_001', 'Place not found.')
    }
    resultOf(await owner.get(`/visits?${RANGE}&sites=${site.id}&geofences=999999999`))
  })
})
