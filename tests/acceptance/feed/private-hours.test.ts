import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { withFormat } from '../formats/formats.ts'
import type { Answer } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { FEED_FORMATS } from '../harness/feed-formats.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { OPERATIONS } from '../harness/operations.ts'
import { patient } from '../harness/organization.ts'
import { senderOf } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { untilOf, untilRecords } from '../trips/records-fleet.ts'

const fleet = await startFleet({ full: 1, plain: 0 })
const sender = await senderOf(fleet, fleet.full[0]!)
const { van } = sender.objects
const object = ['--org', String(sender.id), String(van)]

/** 22:00 to 24:00 in Kiritimati, which is 14 hours ahead: 08:00 to 10:00 UTC, when the bodies of all formats are. */
const PLAN = ['--private-hours', 'Sa 22:00-24:00', '--private-time-zone', 'Pacific/Kiritimati']
const rowOf = (time_device: string, more: object = {}) => ({
  ...{ ident: IDENTS.van, time_device, latitude: 41.4321987, longitude: 2.2123987 },
  ...more,
})

/** The parts of an answer that do not depend on when it is asked for: its status, version and rows. */
const contentOf = ({ status, headers, text }: Answer) => ({
  status,
  tag: headers.etag,
  text: text.replaceAll(/"(timestamp|next_cursor|next|cursor)":"[^"]*"/g, ''),
})

/** The requests of all operations are about a day on which the fleet was imported. */
const onTheDay = (path: string) =>
  path.replaceAll('2024-05-06', '2024-06-01').replaceAll('2024-05-07', '2024-06-02')

/** The answers of all operations in all formats, but for the counts of these requests themselves. */
async function allAnswers() {
  const caller = patient(sender)
  const answers: Record<string, ReturnType<typeof contentOf>> = {}
  for (const { name, path, formats } of OPERATIONS.filter((each) => each.name !== 'GET /usage')) {
    for (const format of formats) {
      const asked = formats.length > 1 ? withFormat(path(caller), format) : path(caller)
      answers[`${name} ${format}`] = contentOf(await caller.get(onTheDay(asked)))
    }
  }
  return answers
}

/** The object as its operator sees it: settings and state, and rejected packets. */
const operatorSees = async () => [
  await fleet.json('objects', 'show', ...object),
  await fleet.json('objects', 'rejects', ...object),
]

describe('Private hours', async () => {
  // A row of before and one of after, so that a position between them would change distances and times.
  await sender.post([rowOf('2024-06-01T07:59:00Z'), rowOf('2024-06-01T10:00:00Z')])
  await fleet.json('objects', 'update', ...object, ...PLAN)
  await untilRecords(sender, async () => {
    const stops = await sender.get(
      onTheDay(`/stops?ids=${van}&from_time=2024-05-06&to_time=2024-05-07`),
    )
    return resultOf(stops).length > 0 && untilOf(stops) !== undefined
  })
  const [answers, seen] = [await allAnswers(), await operatorSees()]

  it('are settings of the object', () => {
    const [settings] = seen as [Record<string, unknown>]
    assert.deepEqual(
      [settings.private_hours, settings.private_time_zone, settings.private_ranges],
      ['Sa 22:00-24:00', 'Pacific/Kiritimati', null],
    )
  })

  for (const [name, { methods, body }] of Object.entries(FEED_FORMATS)) {
    it(`are acknowledged by /feed/v1/${name}`, async () => {
      const isText = methods.includes('GET')
      const path = isText ? `/${name}?${body}` : `/${name}`
      const answer = await sender.send(path, isText ? {} : { method: 'POST', body })
      assert.equal(answer.status, 200, answer.text)
      if (name !== 'positions') return
      const { rejects, ...counts } = resultOf(answer)
      assert.deepEqual(counts, { stored: 0, duplicate: 0, conflict: 0, rejected: 1 })
      assert.equal(rejects[0].reason, 'private')
    })
  }

  it('are acknowledged with a position without a fix, with bad quality and with unreadable values', async () => {
    const rows = [
      rowOf('2024-06-01T09:00:00Z', { latitude: 0, longitude: 0 }),
      rowOf('2024-06-01T09:01:00Z', { hdop: 90 }),
      rowOf('2024-06-01T09:02:00Z', { speed: 'fast', driver: 'Jane' }),
    ]
    const { rejects } = await sender.post(rows)
    assert.deepEqual(
      rejects.map(({ reason }: { reason: string }) => reason),
      ['private', 'private', 'private'],
    )
  })

  it('are counted by an import, and not stored', async () => {
    const file = join(temporaryFolder(), 'positions.csv')
    const fields = 'ident,time_device,latitude,longitude'
    const lines = ['09:10', '09:20'].map((time) => `${IDENTS.van},2024-06-01T${time}:00Z,41.4,2.2`)
    writeFileSync(file, [fields, ...lines, ''].join('\n'))
    const summary = await fleet.json('import', 'positions', '--org', String(sender.id), file)
    assert.deepEqual([summary.read, summary.accepted, summary.rejected], [2, 0, 0])
    assert.deepEqual(summary.withheld, { private: 2 })
    assert.equal(summary.complete, true)
  })

  it('change no answer of any operation in any format', async () => {
    const after = await allAnswers()
    assert.deepEqual(Object.keys(after), Object.keys(answers))
    for (const [name, answer] of Object.entries(answers)) {
      assert.equal(answer.status, 200, `${name}: ${answer.text}`)
      assert.deepEqual(after[name], answer, name)
    }
    assert.deepEqual(await operatorSees(), seen)
  })

  it('end where the plan ends', async () => {
    const rows = ['07:59:59.999', '08:00', '09:59:59.999', '10:00:00.001'].map((time) =>
      rowOf(`2024-06-01T${time}Z`),
    )
    const { rejects, stored } = await sender.post(rows)
    assert.equal(stored, 2)
    assert.deepEqual(
      rejects.map(({ index }: { index: number }) => index),
      [1, 2],
    )
  })

  it('are refused in another form, by name', async () => {
    const { code, stderr } = await fleet.run(
      'objects',
      'update',
      ...object,
      '--private-hours',
      'always',
    )
    assert.equal(code, 2, stderr)
    assert.match(stderr, /weekdays and times such as/)
  })

  it('have packets of a wrong clock that come in them, whatever else is wrong with them', async () => {
    const hour = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()
    const ranges = ['--private-ranges', `${hour(-1)}/${hour(1)}`]
    await fleet.json('objects', 'update', ...object, ...ranges)
    const before = await operatorSees()
    const faults = [{}, { hdop: 90 }, { latitude: 0, longitude: 0 }]
    const { rejects } = await sender.post(faults.map((fault) => rowOf(hour(5), fault)))
    assert.deepEqual(
      rejects.map(({ reason }: { reason: string }) => reason),
      ['private', 'private', 'private'],
    )
    assert.deepEqual(await operatorSees(), before)
  })
})
