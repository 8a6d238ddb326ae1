import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { FIXES, IDENTS, NAMES, positionRow } from '../harness/fleet-data.ts'
import { sharedFleet } from '../harness/shared-fleet.ts'

const fleet = await sharedFleet()

describe('Answers: `/positions/latest`: GET /positions/latest: 200', () => {
  const organization = fleet.take()
  const { van, truck, silent } = organization.objects
  const latest = async (ids: string | number) =>
    resultOf(await organization.get(`/positions/latest?ids=${ids}`))

  it('returns the newest position of each object in the requested order', async () => {
    const rows = [positionRow(FIXES.truck.at(-1)!, truck), positionRow(FIXES.van.at(-1)!, van)]
    const answered = await latest(`${truck},${van}`)
    assert.deepEqual(answered, rows)
    assert.deepEqual(Object.keys(answered[0]), Object.keys(rows[0]))
  })

  it('returns nulls for an object that never had a fix', async () => {
    const unknown = { latitude: null, longitude: null, altitude: null, angle: null, speed: null }
    assert.deepEqual(await latest(silent), [
      {
        ...{ id: silent, ident: IDENTS.silent, name: NAMES.silent, ...unknown },
        ...{ time_server: null, time_device: null },
        ...{ engine_hours: null, odometer: null, mileage: null, address: null },
      },
    ])
  })

  it('accepts ids as a list, repeated, with brackets, and all of these at once; Requests: `ids` of `/positions/latest`', async () => {
    const listed = await organization.get(`/positions/latest?ids=${truck},${van},${silent}`)
    for (const query of [
      `ids=${truck}&ids=${van}&ids=${silent}`,
      `ids[]=${truck}&ids[]=${van}&ids[]=${silent}`,
      `ids%5B%5D=${truck},${van},${silent}`,
      `ids=${truck}&ids[]=${silent}&ids=%20${van},${truck}%20&other=${van}`,
    ]) {
      const answer = await organization.get(`/positions/latest?${query}`)
      assert.equal(answer.text, listed.text, query)
    }
  })

  it('accepts 1,000 ids', async () => {
    const others = Array.from({ length: 999 }, (_, i) => 900_000 + i).join()
    assert.equal((await latest(`${van},${others}`)).length, 1)
  })

  it('omits ids that the organization does not have', async () => {
    const rows = await latest(`999999999,${van},9007199254740993`)
    assert.deepEqual(rows, [positionRow(FIXES.van.at(-1)!, van)])
  })
})
