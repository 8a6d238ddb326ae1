import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { comparable } from '../harness/comparable.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_DAYS, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'

const fleet = await startFleet()

/** Boxes around the exhausted van and around none of the fleet, by `bbox`. */
const HERE = '28,40,30,42'
const ELSEWHERE = '-10,-10,-9,-9'
/** Ranges with and without positions of the van. */
const DROVE = WHOLE_RANGE
const RESTED = 'from_time=2024-05-03&to_time=2024-05-03'

describe('An exhausted object among those asked for: 400', async () => {
  const organization = fleet.take()
  const { van, truck } = organization.objects
  await fleet.run('org', 'update', String(organization.id), '--daily-quota', '1')
  resultOf(await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`))
  const named = new RegExp(`\\b${van}\\b`)

  const saidOf = async (path: string, method = 'GET') =>
    comparable(await organization.get(path, { method }))

  const pairs: Record<string, [string, string]> = {
    'a box that it is in': [
      `/positions/latest?bbox=${HERE}`,
      `/positions/latest?bbox=${ELSEWHERE}`,
    ],
    'an age that it has': [
      `/positions/latest?ids=${van},${truck}&max_age=315360000`,
      `/positions/latest?ids=${van},${truck}&max_age=1`,
    ],
    'a moment by which it had a position': [
      `/positions/at?ids=${van}&time=2024-05-07&format=gpx`,
      `/positions/at?ids=${van}&time=2024-05-05&format=gpx`,
    ],
    'a range in which it drove': [
      `/positions?ids=${truck},${van}&${DROVE}`,
      `/positions?ids=${truck},${van}&${RESTED}`,
    ],
    'trips in a range in which it drove': [`/trips?${DROVE}`, `/trips?${RESTED}`],
    'stops of a duration': [`/stops?${DROVE}`, `/stops?${DROVE}&min_duration=315360000`],
    'days on which it drove': [
      `/days?${WHOLE_DAYS}`,
      '/days?from_date=2024-05-03&to_date=2024-05-03',
    ],
  }
  for (const [what, [fits, misses]] of Object.entries(pairs)) {
    it(`refuses alike ${what}, and one that it is not in`, async () => {
      const answer = await organization.get(fits)
      assertRefused(answer, 400, 'PUBLIC.400_005', named)
      assert.equal(await saidOf(misses), await saidOf(fits))
    })
  }

  it('refuses HEAD alike', async () => {
    const [fits, misses] = pairs['a box that it is in']!
    assert.equal(await saidOf(misses, 'HEAD'), await saidOf(fits, 'HEAD'))
  })

  it('leaves it out with skip_exhausted, in a box that it is in and elsewhere', async () => {
    const path = (box: string) => `/positions/latest?bbox=${box}&skip_exhausted=true`
    const { status, headers } = await organization.get(path(HERE))
    assert.deepEqual([status, headers['x-quota-exhausted']], [200, `${van}`])
    assert.equal(await saidOf(path(HERE)), await saidOf(path(ELSEWHERE)))
  })
})

describe('GET /positions/latest and /positions/at with skip_exhausted: 200', async () => {
  const organization = fleet.take()
  const { van, truck, longHaul, silent } = organization.objects
  await fleet.run('org', 'update', String(organization.id), '--daily-quota', '2')
  const idsOf = (rows: Json[]) => rows.map(({ id }) => id)
  resultOf(await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`))
  resultOf(await organization.get(`/objects/${van}/positions?${WHOLE_RANGE}`))

  it('leaves out exhausted objects, names them, and charges the others', async () => {
    const refused = await organization.get('/positions/latest?ids=all')
    assertRefused(refused, 400, 'PUBLIC.400_005', new RegExp(`\\b${van}\\b`))
    const answer = await organization.get('/positions/latest?ids=all&skip_exhausted=true')
    assert.deepEqual(idsOf(resultOf(answer) as Json[]), [truck, longHaul, silent])
    assert.equal(answer.headers['x-quota-exhausted'], String(van))
    assert.equal(answer.headers['x-quota-remaining'], '1')
  })

  it('charges only the rows in the answer', async () => {
    const path = '/positions/latest?bbox=150,-34,152,-33'
    // The van is elsewhere, but an answer without it would say so.
    assertRefused(await organization.get(path), 400, 'PUBLIC.400_005', new RegExp(`\\b${van}\\b`))
    const box = await organization.get(`${path}&skip_exhausted=true`)
    assert.deepEqual(idsOf(resultOf(box) as Json[]), [truck])
    assert.equal(box.headers['x-quota-exhausted'], String(van))
    const at = await organization.get('/positions/at?ids=all&time=2024-05-07&skip_exhausted=true')
    assert.deepEqual(idsOf(resultOf(at) as Json[]), [longHaul, silent])
    assert.equal(at.headers['x-quota-exhausted'], `${van},${truck}`)
  })

  it('refuses if nothing is left', async () => {
    const answer = await organization.get('/positions/latest?ids=all&skip_exhausted=true')
    assertRefused(answer, 400, 'PUBLIC.400_005', new RegExp(`\\b${silent}\\b`))
  })

  it('charges a page of several histories to the objects in it', async () => {
    const other = fleet.take()
    const ids = [other.objects.van, other.objects.truck].join()
    await fleet.run('org', 'update', String(other.id), '--daily-quota', '1')
    resultOf(await other.get(`/positions?ids=${ids}&limit=5&${WHOLE_RANGE}`))
    resultOf(await other.get(`/objects/${other.objects.truck}/positions?${WHOLE_RANGE}`))
    const answer = await other.get(`/positions?ids=${ids}&limit=5&${WHOLE_RANGE}`)
    assertRefused(answer, 400, 'PUBLIC.400_005', new RegExp(`\\b${other.objects.van}\\b`))
  })
})
