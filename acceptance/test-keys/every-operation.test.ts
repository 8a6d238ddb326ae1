import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'
import { testKey, untilYoungDay, yesterday, yesterdaysDate } from '../harness/test-key.ts'

const fleet = await sharedFleet()
const own = fleet.take()
await untilYoungDay()
const DAY = yesterdaysDate()
const ONE = `ids=1&${yesterday()}`

/** A request of each operation, and whether its result shows the simulated fleet. */
const REQUESTS: [path: string, isRight: (result: Json) => boolean][] = [
  ['/objects', (objects) => objects.some(({ ident }: Json) => ident === 'TEST-3')],
  ['/objects?ident=TEST-2', ([object]) => object.id === 2],
  ['/objects/2', ({ odometer, address }) => odometer > 0 && /Test Round$/.test(address)],
  [`/objects/1/positions?${yesterday()}&limit=5`, (rows) => rows.length === 5],
  ['/positions/latest?ids=1,2', (rows) => rows.length === 2],
  ['/positions/latest?bbox=-1,41,0,42', (rows) => rows.length >= 5],
  [`/positions/at?ids=1&time=${DAY}T12:00Z`, ([row]) => row.time_device === `${DAY}T12:00:00.000Z`],
  [`/positions?ids=1,2&${yesterday()}&limit=3`, (rows) => rows.length === 3],
  ['/geofences', ([geofence]) => geofence.name === 'Depot'],
  ['/routes', ([route]) => route.name === 'Round'],
  ['/sites', ([site]) => site.name === 'Customer'],
  [`/trips?${ONE}`, (trips) => trips.length >= 65 && trips[1].distance > 5.9],
  [`/stops?${ONE}`, (stops) => stops.length >= 65 && stops[1].geofence_ids[0] === 1],
  [`/visits?${ONE}&sites=1`, (visits) => visits.length === 66],
  [`/days?ids=1&from_date=${DAY}&to_date=${DAY}`, ([day]) => day.trips >= 71 && day.distance > 420],
  [`/coverage?ids=4&from_date=${DAY}&to_date=${DAY}`, ([day]) => day.late >= 264],
  [`/routes/1/adherence?object=1&${yesterday()}`, ({ share_inside: share }) => share > 0.99],
  ['/key', ({ prefix }) => prefix.startsWith('fg_test_')],
  ['/usage', ({ quota }) => quota.limit === 1_000],
  ['/changes?types=objects', ({ changes }) => changes.length >= 6],
]

describe('A test key opens', () => {
  for (const [path, isRight] of REQUESTS) {
    it(`GET ${path.replace(/\?.*/, '').replace(/\d+/, '{id}')}`, async () => {
      // Each key has a window of its own.
      const result = resultOf(await (await caller()).get(path))
      assert.ok(isRight(result), JSON.stringify(result).slice(0, 600))
    })
  }
})

let keys: ReturnType<typeof testKey>[] = []
let used = 0

/** A test key with room in its window. */
function caller() {
  if (used % 8 === 0) keys = [testKey(fleet, own)]
  used += 1
  return keys[0]!
}
