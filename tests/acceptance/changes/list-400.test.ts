import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'

const fleet = await startFleet()

const CASES = [
  ['limit=0', 'limit must be an integer from 1 to 10000 written in digits, not "0".'],
  ['limit=10001', 'limit must be an integer from 1 to 10000 written in digits, not "10001".'],
  ['wait=26', 'wait must be an integer from 0 to 25 written in digits, not "26".'],
  ['from=then', 'from must be one of snapshot, history, now, not "then".'],
  ['limit=1&limit=2', 'limit must be given only once.'],
  ['include=speed', 'include must be one of quality, exact, attributes, not "speed".'],
  [
    'types=objects,moods',
    'types must be one of positions, states, objects, geofences, routes, sites, trips, stops, visits, levels, not "moods".',
  ],
  [
    'cursor=forged',
    'cursor is not valid: follow the next link unchanged, or start again without cursor.',
  ],
] as const

describe('GET /changes: 400', () => {
  for (const [query, message] of CASES) {
    it(`refuses ${query}`, async () => {
      const answer = await fleet.ask(() => `/changes?${query}`)
      assertRefused(answer, 400, 'PUBLIC.400_001', message)
    })
  }
})
