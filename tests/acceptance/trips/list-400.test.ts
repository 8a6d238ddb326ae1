import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { RANGE } from './records-fleet.ts'

const fleet = await startFleet()
const DATES = 'from_date=2026-05-04&to_date=2026-05-05'

describe('GET /trips, /stops, /visits, /days and /coverage: 400', () => {
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
    ['/days?to_date=2026-05-04', 'PUBLIC.400_001', /^from_date is required/],
    ['/days?from_date=2026-05-04', 'PUBLIC.400_002', /^to_date is required/],
    ['/days?from_date=2026-05-04&to_date=2026-02-30', 'PUBLIC.400_001', /^to_date .*YYYY-MM-DD/],
    ['/days?from_date=2026-05-04T10:00Z&to_date=2026-05-05', 'PUBLIC.400_001', /^from_date /],
    ['/days?from_date=2026-05-05&to_date=2026-05-04', 'PUBLIC.400_001', /^from_date .*to_date/],
    [`/days?${DATES}&tz=Middle/Earth`, 'PUBLIC.400_001', /^tz .*IANA.*Middle\/Earth/],
    [`/days?${DATES}&tz=%2B03:00`, 'PUBLIC.400_001', /^tz .*IANA/],
    [`/days?${DATES}&tz=UTC&tz=UTC`, 'PUBLIC.400_001', /^tz .*once/],
    [`/days?${DATES}&limit=10001`, 'PUBLIC.400_001', /^limit .* 1 to 10000/],
    [`/days?${DATES}&ids=1x`, 'PUBLIC.400_001', /^ids /],
    [`/days?${DATES}&ids=${[...Array(1_001).keys()]}`, 'PUBLIC.400_001', /^ids .*1000/],
    [`/days?${DATES}&cursor=`, 'PUBLIC.400_001', /^cursor /],
    [`/days?${DATES}&cursor=bXk3Yw`, 'PUBLIC.400_001', /^cursor /],
    ['/coverage?to_date=2026-05-04', 'PUBLIC.400_001', /^from_date is required/],
    ['/coverage?from_date=2026-05-04', 'PUBLIC.400_002', /^to_date is required/],
    [`/coverage?${DATES}&to_date=2026-05-05`, 'PUBLIC.400_001', /^to_date .*once/],
    ['/coverage?from_date=2026-05-05&to_date=2026-05-04', 'PUBLIC.400_001', /^from_date .*to_date/],
    ['/coverage?from_date=2025-05-04&to_date=2026-05-05', 'PUBLIC.400_001', /366/],
    [`/coverage?${DATES}&ids=1x`, 'PUBLIC.400_001', /^ids /],
    [`/coverage?${DATES}&ids=${[...Array(1_001).keys()]}`, 'PUBLIC.400_001', /^ids .*1000/],
  ]
  for (const [path, code, message] of cases) {
    it(`refuses ${path.slice(0, 70)}`, async () => {
      assertRefused(await fleet.ask(() => path), 400, code, message)
    })
  }
})
