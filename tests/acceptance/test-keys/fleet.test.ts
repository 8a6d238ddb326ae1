import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clock } from '../harness/clock.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import {
  HOURS,
  SIMULATED,
  testKey,
  untilYoungDay,
  yesterday,
  yesterdaysDate,
} from '../harness/test-key.ts'

const fleet = await startFleet()

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
  ['/attributes', (attributes) => attributes.length === 4],
  [
    '/positions/latest?ids=1,2&include=attributes',
    ([{ attributes: first }, { attributes: second }]) =>
      first.driver === 'Driver 1' && !('temp1' in first) && second.temp1 < -16,
  ],
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

const MINUTE_MS = 60_000

const historyOf = async (caller: { get(path: string): Promise<never> }, object: number) =>
  resultOf(
    await caller.get(`/objects/${object}/positions?${yesterday()}&include=quality`),
  ) as Json[]

const timeOf = ({ time_device: time }: Json) => Date.parse(time)

describe('The simulated fleet of a test key', () => {
  const own = fleet.take()
  const caller = testKey(fleet, own)
  const history = async (object: number) => historyOf((await caller) as never, object)

  it('drives by the clock', async () => {
    const rows = resultOf(await (await caller).get('/positions/latest?ids=all')) as Json[]
    const [frequent] = rows
    const age = clock.now() - timeOf(frequent)
    assert.ok(age >= 0 && age < MINUTE_MS, `its newest position is ${age} ms old`)
    const driving = rows.filter(({ speed }) => speed > 0)
    assert.ok(driving.length > 0, 'at each moment a vehicle drives')
  })

  it('has one that never reported', async () => {
    const object = resultOf(await (await caller).get(`/objects/${SIMULATED.silent}`))
    assert.deepEqual([object.time_device, object.latitude, object.speed], [null, null, null])
    assert.deepEqual(await history(SIMULATED.silent), [])
  })

  it('has one that reports late', async () => {
    const rows = await history(SIMULATED.late)
    const late = rows.filter((row) => row.late)
    // Two packets of each ten minutes.
    assert.equal(late.length, 2 * 6 * HOURS)
    for (const row of late) assert.equal(Date.parse(row.time_server) - timeOf(row), 61 * MINUTE_MS)
  })

  it('has one with a gap of 20 minutes in each hour', async () => {
    const rows = await history(SIMULATED.gap)
    const gaps = rows.slice(1).filter((row, index) => timeOf(row) - timeOf(rows[index]) > MINUTE_MS)
    assert.equal(gaps.length, HOURS)
    const hour = rows.filter((row) => new Date(timeOf(row)).getUTCMinutes() === 30)
    assert.deepEqual(hour, [])
  })

  it('has one that is corrected afterwards', async () => {
    const rows = await history(SIMULATED.corrected)
    const corrected = rows.filter((row) => Date.parse(row.time_server) - timeOf(row) === MINUTE_MS)
    // One in each round of 20 minutes.
    assert.equal(corrected.length, 3 * HOURS)
    for (const row of corrected) assert.equal(row.hdop, 0.8)
  })

  it('has one that is deleted and comes back', async () => {
    const statusNow = async () => {
      const { status } = await (await caller).get(`/objects/${SIMULATED.comesBack}`)
      return status
    }
    for (let tries = 0; tries < 10 && (await statusNow()) === 200; tries += 1) {
      await own.time.pass(MINUTE_MS)
    }
    assert.equal(await statusNow(), 404)
    await own.time.pass(2 * MINUTE_MS)
    assert.equal(await statusNow(), 200)
  })
})
