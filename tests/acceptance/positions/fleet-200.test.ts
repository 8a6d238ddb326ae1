import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startFleet } from '../harness/fleet.ts'
import { FIXES, positionRow, WHOLE_RANGE } from '../harness/fleet-data.ts'
import { QUALITY_FIELDS } from '../harness/operations.ts'
import { allPages } from '../harness/pages.ts'
import { everyStep } from './every-step.ts'

const fleet = await startFleet()

describe('GET /positions: 200', () => {
  const organization = fleet.take()
  const { van, truck, longHaul, silent } = organization.objects
  const rowsOf = (name: 'van' | 'truck' | 'longHaul') =>
    FIXES[name].map((fix) => positionRow(fix, organization.objects[name]))

  it('lists the positions by object as asked, then by time', async () => {
    const ids = [truck, silent, van].join()
    const { rows, answers } = await allPages(
      organization.get,
      `/positions?ids=${ids}&${WHOLE_RANGE}`,
    )
    assert.deepEqual(rows, [...rowsOf('truck'), ...rowsOf('van')])
    assert.equal(answers.length, 1)
  })

  it('gives in pages what one page gives, across the objects', async () => {
    const ids = [van, truck].join()
    const { rows, pages } = await allPages(
      organization.get,
      `/positions?ids=${ids}&limit=4&${WHOLE_RANGE}`,
    )
    assert.deepEqual(
      pages.map(({ length }) => length),
      [4, 4, 4, 3],
    )
    assert.deepEqual(rows, [...rowsOf('van'), ...rowsOf('truck')])
  })

  it('equals the histories of its objects', async () => {
    const history = await organization.get(`/objects/${longHaul}/positions?${WHOLE_RANGE}`)
    const path = `/positions?ids=${longHaul}&${WHOLE_RANGE}`
    assert.equal((await organization.get(path)).text, history.text)
  })
})

describe('GET /positions in other formats: 200', () => {
  const organization = fleet.take()
  const { van, truck, silent } = organization.objects
  const path = `/positions?ids=${van},${silent},${truck}&${WHOLE_RANGE}`

  it('has a track of each object with positions in GPX', async () => {
    const { text } = await organization.get(`${path}&format=gpx`)
    assert.equal(text.match(/<trk>/g)!.length, 2)
    assert.equal(text.match(/<\/trkseg><\/trk>/g)!.length, 2)
    assert.equal(text.match(/<trkpt /g)!.length, FIXES.van.length + FIXES.truck.length)
  })

  it('has a line for each row in CSV, with the fields asked for', async () => {
    const { text } = await organization.get(`${path}&format=csv&include=quality`)
    const [header, ...lines] = text.trimEnd().split('\r\n')
    assert.equal(lines.length, FIXES.van.length + FIXES.truck.length)
    assert.ok(header!.endsWith(`,${QUALITY_FIELDS.join()}`))
  })
})

describe('GET /positions with a step: 200', () => {
  it('keeps the first position of each interval and the last of the range, over pages', async () => {
    const organization = fleet.take()
    const { van, longHaul } = organization.objects
    for (const [seconds, limit] of [
      [60, 1_000],
      [3_600, 2],
    ] as const) {
      const path = `/positions?ids=${longHaul},${van}&step=${seconds}&limit=${limit}&${WHOLE_RANGE}`
      const { rows } = await allPages(organization.get, path)
      const expected = (['longHaul', 'van'] as const).flatMap((name) =>
        everyStep(FIXES[name], seconds).map(({ time_device }) => time_device),
      )
      assert.deepEqual(
        rows.map(({ time_device }) => time_device),
        expected,
      )
    }
  })
})
