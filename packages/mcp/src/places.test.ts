import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Fleetgate, LonLat } from '@fleetgate/client'
import { middlesOf, placesNamed } from './places.ts'

const RING: LonLat[] = [
  [179, -17],
  [-179, -17],
  [-179, -15],
  [179, -15],
]
const api = {
  geofences: {
    list: async () => [
      { id: 1, name: 'Fiji', coordinates: RING },
      { id: 2, name: 'Port', coordinates: RING },
    ],
  },
  sites: {
    list: async () => [
      { id: 1, name: 'Port, gate 29', latitude: 41, longitude: 2 },
      { id: 2, name: 'PORT', latitude: 42, longitude: 3 },
    ],
  },
} as unknown as Fleetgate
const { signal } = new AbortController()
const named = (text: string) => placesNamed(text, { fleet: { api }, signal })

it('a place that has exactly the name is meant, and others are named', async () => {
  const { places, others } = await named('port')
  assert.deepEqual(
    places.map(({ geofences, sites }) => [geofences.length, sites.length]),
    [[1, 1]],
  )
  assert.deepEqual(others, ['Port, gate 29'])
  const both = await named('por')
  assert.deepEqual([both.places.length, both.others], [2, []])
  await assert.rejects(named('pier'), /There are: Fiji \| PORT \| Port \| Port, gate 29\./)
  await assert.rejects(named(' -'), /must contain a letter or a digit/)
})

it('the middle of a place is that of its site, or of the box around its geofence', async () => {
  const middles = async (text: string) => middlesOf((await named(text)).places[0]!)
  assert.deepEqual(await middles('port'), [{ latitude: 42, longitude: 3 }])
  const [fiji] = await middles('fiji')
  assert.equal(Math.abs(fiji!.longitude), 180)
  assert.equal(fiji!.latitude, -16)
})
