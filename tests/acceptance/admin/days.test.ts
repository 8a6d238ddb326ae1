import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readXlsx } from 'hucre/xlsx'
import { jsonHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, startConsole } from '../harness/admin.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'

/** Two hours before noon. Each vehicle drives for 30 minutes at 1 km a minute, and changes its driver. */
const START = Date.parse('2026-05-04T10:00:00Z')
const DATES = 'from_date=2026-05-04&to_date=2026-05-05'

const { operator, server, deployment } = await startConsole()
const { id } = await operator.post('/organizations', { name: 'Reported', create_objects: true })
const at = `/organizations/${id}`
await operator.patch(`${at}/attributes`, { name: 'driver', type: 'text', is_public: true })
const { secret } = await operator.post(`${at}/feed-tokens`, { name: 'feed' })
for (const [index, ident] of ['van', 'truck'].entries()) {
  const rows = Array.from({ length: 61 }, (_, minute) => ({
    ident,
    time_device: new Date(START + minute * 60_000).toISOString(),
    ...{ latitude: 41 + (Math.min(minute, 30) * (index + 1)) / 111.2, longitude: 2 },
    ...{ speed: minute < 30 ? 60 : 0, ignition: minute < 45 },
    attributes: { driver: minute < 20 ? 'Ann' : 'Bo' },
  }))
  await postRows(server.feed, secret, rows)
}
const totals = (query: string): Promise<Json> => operator.get(`${at}/day-totals?${DATES}${query}`)
const sum = (items: Json[], field: string) => items.reduce((all, row) => all + row[field], 0)

describe('Totals of days in the admin API', () => {
  it('add up by vehicle, by day and by driver', async () => {
    const { items: vehicles } = await totals('')
    assert.deepEqual(
      vehicles.map(({ ident, days }: Json) => [ident, days]),
      [
        ['van', 1],
        ['truck', 1],
      ],
    )
    const { items: days } = await totals('&group=date')
    assert.deepEqual(
      days.map(({ date }: Json) => date),
      ['2026-05-04'],
    )
    const { items: drivers, columns } = await totals('&by=driver&group=by')
    const byName = Object.groupBy(drivers as Json[], ({ value }) => value)
    assert.ok(byName.Ann![0]!.moving_time > 0 && byName.Bo![0]!.moving_time > 0)
    assert.deepEqual(columns.slice(0, 3), ['value', 'days', 'distance'])
    for (const field of ['distance', 'moving_time', 'idle_time', 'trips']) {
      assert.ok(sum(vehicles, field) > 0, field)
      for (const items of [days, drivers]) {
        assert.ok(Math.abs(sum(items, field) - sum(vehicles, field)) < 0.05, field)
      }
    }
  })

  it('are of the chosen vehicles alone', async () => {
    const [van] = (await totals('')).items
    const { items } = await totals(`&ids=${van.object_id}`)
    assert.deepEqual(items, [van])
    const missing = await operator.ask('GET', `${at}/day-totals?${DATES}&ids=999999999`)
    assertError(missing, 404, 'not_found')
  })

  it('are files too, with a row for each of them or for each day', async () => {
    const csv = await operator.ask('GET', `${at}/day-totals.csv?${DATES}&by=driver&group=by`)
    const [head, ...rows] = csv.text.trimEnd().split('\n')
    assert.match(head!, /^value,days,distance,trips,moving_time/)
    const { items } = await totals('&by=driver&group=by')
    assert.deepEqual(
      rows.map((row) => row.split(',')[0]),
      items.map(({ value }: Json) => value ?? ''),
    )
    const days = await operator.ask('GET', `${at}/days.csv?${DATES}`)
    assert.equal(days.text.trimEnd().split('\n').length, 3)
    const workbook = await operator.ask('GET', `${at}/day-totals.xlsx?${DATES}`)
    const { sheets } = await readXlsx(workbook.bytes)
    assert.deepEqual(
      sheets[0]!.rows.map((row) => row[1]),
      ['ident', 'van', 'truck'],
    )
  })

  it('come from the command line alike', async () => {
    const range = ['--from', '2026-05-04', '--to', '2026-05-05']
    const command = ['records', 'days', '--org', String(id), ...range, ...deployment.args]
    assert.deepEqual(
      await jsonHere([...command, '--by', 'driver', '--group', 'by']),
      (await totals('&by=driver&group=by')).items,
    )
    assert.equal((await jsonHere(command)).length, 2)
  })
})
