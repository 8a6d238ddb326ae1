import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { allPages, nextOf } from '../harness/pages.ts'
import { DAY, driven, MINUTE, RANGE, SITE, untilRecords } from '../trips/records-fleet.ts'

const FIELDS = [
  ...['id', 'object_id', 'ident', 'name', 'place_type', 'place_id', 'place_name', 'start_time'],
  ...['end_time', 'before_time', 'after_time', 'duration', 'distance', 'positions'],
  ...['open', 'revision', 'updated_at'],
]

const fleet = await startFleet()
const at = (seconds: number) => new Date(DAY + 10 * MINUTE + seconds * 1_000).toISOString()

describe('GET /visits: 200', async () => {
  const sender = await driven(fleet, ['V-1', 'V-2'])
  const [site] = resultOf(await sender.get('/sites'))
  const list = async (query = '') =>
    resultOf(await sender.get(`/visits?${RANGE}&ids=${sender.ids[0]}${query}`))

  it('lists the stays in places, with the positions that bound them', async () => {
    const [visit, ...others] = await list()
    assert.deepEqual(others, [])
    assert.deepEqual(Object.keys(visit), FIELDS)
    assert.deepEqual(
      [visit.place_type, visit.place_id, visit.place_name],
      ['site', site.id, SITE.name],
    )
    // 300 m of the site are 298 m of the drive.
    assert.deepEqual([visit.start_time, visit.end_time], [at(-600), at(20)])
    assert.deepEqual([visit.before_time, visit.after_time], [null, at(30)])
    assert.deepEqual([visit.duration, visit.positions, visit.open], [620, 13, false])
    assert.ok(visit.distance >= 0.19 && visit.distance <= 0.21, visit.distance)
  })

  it('keeps what it selects by in the link of the next page', async () => {
    const chosen = `ids=${sender.ids.join()}&sites=${site.id}&min_duration=60`
    const { rows, answers } = await allPages(sender.get, `/visits?${RANGE}&${chosen}&limit=1`)
    assert.deepEqual([rows.length, answers.length], [2, 2])
    const next = new URLSearchParams(nextOf(answers[0]!)!.split('?')[1])
    assert.deepEqual(
      chosen.split('&'),
      ['ids', 'sites', 'min_duration'].map((name) => `${name}=${next.get(name)}`),
    )
  })

  it('selects by place and duration', async () => {
    assert.equal((await list(`&sites=${site.id},999999999`)).length, 1)
    assert.equal((await list('&min_duration=620')).length, 1)
    assert.equal((await list('&min_duration=621')).length, 0)
  })

  it('derives the visits to a place anew when it is deleted', async () => {
    await fleet.run('sites', 'delete', String(site.id), '--org', String(sender.id), '--yes')
    await untilRecords(sender, async () => (await list()).length === 0)
  })
})
