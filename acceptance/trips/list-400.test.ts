import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { RANGE } from './records-fleet.ts'

const fleet = await sharedFleet()

describe('GET /trips, /stops and /visits: 400', () => {
  const cases: [path: string, code: string, message: RegExp][] = [
    ['/trips?to_time=2026-05-04', 'PUBLIC.400_001', /From Time is required/],
    ['/stops?from_time=2026-05-04', 'PUBLIC.400_002', /To Time is required/],
    ['/visits?from_time=2026-05-04&to_time=2026-13-01', 'PUBLIC.400_001', /^to_time /],
    ['/trips?from_time=2026-05-05&to_time=2026-05-04', 'PUBLIC.400_001', /^from_time /],
    [`/trips?${RANGE}&limit=0`, 'PUBLIC.400_001', /^limit .* 1 to 10000/],
    [`/trips?${RANGE}&limit=10001`, 'PUBLIC.400_001', /^limit .* 1 to 10000/],
    [`/trips?${RANGE}&limit=1&limit=2`, 'PUBLIC.400_001', /^limit .*once/],
    [`/trips?${RANGE}&ids=1x`, 'PUBLIC.400_001', /^ids /],
    [`/visits?${RANGE}&sites=1x`, 'PUBLIC.400_001', /^sites /],
    [`/visits?${RANGE}&geofences=-1`, 'PUBLIC.400_001', /^geofences /],
    [`/visits?${RANGE}&sites=${[...Array(1_001).keys()]}`, 'PUBLIC.400_001', /^sites .*1000/],
    [`/stops?${RANGE}&min_duration=1.5`, 'PUBLIC.400_001', /^min_duration /],
    [`/trips?${RANGE}&cursor=`, 'PUBLIC.400_001', /^cursor /],
    [`/trips?${RANGE}&cursor=bXk3Yw`, 'PUBLIC.400_001', /^cursor /],
  ]
  for (const [path, code, message] of cases) {
    it(`refuses ${path.slice(0, 70)}`, async () => {
      assertRefused(await fleet.ask(() => path), 400, code, message)
    })
  }
})
