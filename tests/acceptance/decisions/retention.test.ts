import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { importRows } from '../harness/import-rows.ts'
import { nextOf } from '../harness/pages.ts'

const DAY_MS = 86_400_000
/** The ages of the fixes, in days. */
const DAYS_AGO = [50, 40, 31, 29, 1]

const fleet = await startFleet({ full: 0, plain: 1 })
const organization = fleet.take()
const org = String(organization.id)
const { silent } = organization.objects
const times = DAYS_AGO.map((days) => new Date(Date.now() - days * DAY_MS).toISOString())
const rows = times.map((time, index) => `${IDENTS.silent},${time},5,${index}`)
await importRows(fleet, organization, 'positions', 'ident,time_device,latitude,longitude', rows)

async function shown(query = ''): Promise<string[]> {
  const range = `from_time=2000-01-01&to_time=2100-01-01${query}`
  const answer = await organization.get(`/objects/${silent}/positions?${range}`)
  return resultOf(answer).map((row: { time_device: string }) => row.time_device)
}

describe('Retention', () => {
  it('keeps everything by default', async () => {
    assert.deepEqual(await shown(), times)
  })

  it('hides older days from the next request on', async () => {
    await fleet.run('org', 'update', org, '--retention-days', '30')
    assert.deepEqual(await shown(), times.slice(3))
    assert.deepEqual(await shown('&limit=1'), times.slice(3, 4), 'a page begins there')
  })

  it('hides older days of /days, and begins the first leg at the newest hidden position', async () => {
    const range = 'from_date=2000-01-01&to_date=2100-01-01'
    const days = resultOf(await organization.get(`/days?${range}&ids=${silent}`))
    const datesAndTimes = days.map((day: Json) => [
      day.date,
      day.moving_time + day.idle_time + day.stopped_time + day.silent_time,
    ])
    // The leg began days before, and counts since its day did.
    const seconds = (index: number) =>
      Math.round((Date.parse(times[index]!) - Date.parse(times[index]!.slice(0, 10))) / 1_000)
    assert.deepEqual(datesAndTimes, [
      [times[3]!.slice(0, 10), seconds(3)],
      [times[4]!.slice(0, 10), seconds(4)],
    ])
  })

  it('ends a cursor at rows that are hidden', async () => {
    await fleet.run('org', 'update', org, '--retention-days', 'none')
    const range = 'from_time=2000-01-01&to_time=2100-01-01&limit=1'
    const page = await organization.get(`/objects/${silent}/positions?${range}`)
    const next = nextOf(page)!
    await fleet.run('org', 'update', org, '--retention-days', '30')
    const [row] = resultOf(await organization.get(next))
    assert.equal(row.time_device, times[3])
  })

  it('keeps the latest position at any age', async () => {
    await fleet.run('org', 'update', org, '--retention-days', '1')
    assert.deepEqual(await shown(), [])
    const [latest] = resultOf(await organization.get(`/positions/latest?ids=${silent}`))
    assert.equal(latest.time_device, times[4])
  })

  it('shows hidden days again after a mistyped number is corrected', async () => {
    await fleet.run('org', 'update', org, '--retention-days', 'none')
    assert.deepEqual(await shown(), times)
  })
})
