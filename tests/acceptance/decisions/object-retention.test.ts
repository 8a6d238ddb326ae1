import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from '../harness/client.ts'
import { clock } from '../harness/clock.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { applyPage, newReplica } from '../harness/following/replica.ts'
import { importRows } from '../harness/import-rows.ts'
import { OPERATIONS } from '../harness/operations.ts'
import type { Organization } from '../harness/organization.ts'
import { scoped } from '../harness/scoped.ts'
import { senderOf } from '../harness/sender.ts'
import { untilOf, untilRecords } from '../trips/records-fleet.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS = 3
const NOW = clock.now()
const isoOf = (time: number) => new Date(time).toISOString()

/** A short drive each two hours of six days. None is within an hour of the moment at which the retention begins. */
const DRIVES = Array.from(
  { length: 72 },
  (_, index) => NOW - 6 * DAY_MS + (2 * index + 1) * HOUR_MS,
)
const rowsOf = (ident: string) =>
  DRIVES.flatMap((start, drive) =>
    [0, 1, 2, 3, 4].map((minute) => {
      const speed = minute < 4 ? 60 : 0
      const longitude = 2 + (4 * drive + minute) / 84
      return [ident, isoOf(start + minute * 60_000), 41, longitude, speed].join()
    }),
  )

const fleet = await startFleet({ full: 1, plain: 0 })
const sender = await senderOf(fleet, fleet.full[0]!, '--window-requests', '1000')
const { van, truck } = sender.objects
const org = String(sender.id)
const [begin, end, moment] = [isoOf(NOW - 7 * DAY_MS), isoOf(NOW), isoOf(NOW - 4 * DAY_MS)]

/** The request of an operation about an object and the days of the drives. */
const pathOf = (path: string, object: number) =>
  path
    .replace('from_time=2024-05-06', `from_time=${begin}`)
    .replace('to_time=2024-05-06', `to_time=${end}`)
    .replace('from_date=2024-05-06', `from_date=${begin.slice(0, 10)}`)
    .replace('to_date=2024-05-06', `to_date=${end.slice(0, 10)}`)
    .replace(/\btime=2024-05-07/, `time=${moment}`)
    .replace('types=objects', `from=history&limit=10000&ids=${object}`)

/** The part of an answer that does not depend on when and how the retention was set. */
const contentOf = ({ status, text }: Answer) => ({
  status,
  text: text
    .replaceAll(/"(timestamp|cursor|as_of|seq|changed_at)":("[^"]*"|\d+)/g, '')
    .replaceAll(/\{"type":"(object_)?retention"[^}]*\},?/g, ''),
})

/** The operations that show positions, and what is derived from them. */
const OF_POSITIONS = [
  ...['GET /changes', 'GET /coverage', 'GET /days', 'GET /objects/{id}/positions'],
  ...[
    'GET /positions',
    'GET /positions/at',
    'GET /routes/{id}/adherence',
    'GET /stops',
    'GET /trips',
  ],
]

type Answers = Record<string, ReturnType<typeof contentOf>>

async function allAnswers(caller: Organization, object: number): Promise<Answers> {
  const answers: Answers = {}
  for (const { name, path } of OPERATIONS.filter((each) => each.name !== 'GET /usage')) {
    const asked = pathOf(path(sender as never, object), object)
    answers[name] = contentOf(await caller.get(asked))
    assert.equal(answers[name].status, 200, `${name}: ${answers[name].text}`)
  }
  return answers
}

const keep = (days: string) =>
  fleet.run('objects', 'update', '--org', org, String(van), '--retention-days', days)
const keepAll = (days: string) => fleet.run('org', 'update', org, '--retention-days', days)
const differing = (one: Answers, other: Answers) =>
  Object.keys(one).filter((name) => one[name]!.text !== other[name]!.text)

describe('The retention of an object', async () => {
  const columns = 'ident,time_device,latitude,longitude,speed'
  await importRows(fleet, sender, 'positions', columns, [
    ...rowsOf(IDENTS.van),
    ...rowsOf(IDENTS.truck),
  ])
  const range = `from_time=${begin}&to_time=${end}`
  await untilRecords(sender, async () => {
    const trips = await sender.get(`/trips?ids=${van}&${range}`)
    return resultOf(trips).length > 70 && untilOf(trips) !== undefined
  })
  const bounded = await scoped(fleet, sender, '--data-from', isoOf(NOW - 6 * DAY_MS))

  for (const [of, caller] of [
    ['', sender],
    [', for a key of a range of time', bounded],
  ] as const) {
    it(`shows in every operation what the same retention of its organization shows${of}`, async () => {
      const everything = await allAnswers(caller, van)
      const others = await allAnswers(caller, truck)
      await keepAll(String(DAYS))
      const expected = await allAnswers(caller, van)
      await keepAll('none')
      await keep(String(DAYS))
      assert.deepEqual(differing(await allAnswers(caller, van), expected), [])
      assert.deepEqual(differing(everything, expected).sort(), OF_POSITIONS)
      assert.deepEqual(differing(others, await allAnswers(caller, truck)), [])
      await keep('none')
      assert.deepEqual(differing(everything, await allAnswers(caller, van)), [])
    })
  }

  it('is the smaller one, whichever is changed, and no longer one than that of the organization can be set', async () => {
    const first = async () =>
      resultOf(await sender.get(`/objects/${van}/positions?${range}`))[0].time_device as string
    const isShown = (time: string, days: number) => Date.parse(time) >= NOW - days * DAY_MS
    await keep('5')
    assert.ok(!isShown(await first(), DAYS))
    await keepAll(String(DAYS))
    assert.ok(isShown(await first(), DAYS))
    const { stderr } = await keep('4')
    assert.match(stderr, /retention_days must be at most 3, the retention_days of the organization/)
    await keepAll('none')
    assert.ok(isShown(await first(), 5) && !isShown(await first(), DAYS))
    await keep('none')
  })

  it('refuses older positions of the feed and of imports', async () => {
    await keep(String(DAYS))
    const row = (days: number) => ({
      ...{ ident: IDENTS.van, latitude: 41, longitude: 2 },
      time_device: isoOf(NOW - days * DAY_MS + 7_777),
    })
    const { rejects, stored } = await sender.post([row(3.5), row(2.5)])
    assert.deepEqual([stored, rejects.map(({ reason }: Json) => reason)], [1, ['beyond_retention']])
    await keep('none')
  })

  it('is in /changes, so that a copy drops and gets again what answers show', async () => {
    const replica = newReplica()
    let cursor = ''
    const types: string[] = []
    const follow = async () => {
      for (let hasMore = true; hasMore; ) {
        const from =
          cursor === '' ? 'from=history&types=positions,objects,trips,stops' : `cursor=${cursor}`
        const page = resultOf(await sender.get(`/changes?${from}&limit=300`)) as Json
        applyPage(replica, page, clock.now())
        for (const { type, id, days } of page.changes) {
          if (type === 'object_retention') types.push(`${id} ${days}`)
        }
        cursor = page.cursor
        hasMore = page.has_more
      }
    }
    const assertEqual = async () => {
      await follow()
      for (const id of [van, truck]) {
        const rows = resultOf(await sender.get(`/objects/${id}/positions?${range}`)) as Json[]
        const copied = [...(replica.positions.get(id)?.keys() ?? [])].filter(
          (time) => time >= begin,
        )
        assert.deepEqual(
          copied.sort(),
          rows.map(({ time_device }) => time_device),
        )
        for (const type of ['trip', 'stop'] as const) {
          const records = resultOf(await sender.get(`/${type}s?ids=${id}&${range}`)) as Json[]
          const held = [...replica.records[type].values()].filter(
            ({ object_id, end_time }) =>
              object_id === id && (end_time === null || end_time >= begin),
          )
          assert.deepEqual(
            held.map((each) => each.id).sort(),
            records.map((each) => each.id).sort(),
          )
        }
      }
    }
    await assertEqual()
    for (const days of ['2', '4', 'none', '3']) {
      await keep(days)
      await assertEqual()
    }
    await keepAll('2')
    await assertEqual()
    await keepAll('5')
    await assertEqual()
    await keepAll('none')
    await assertEqual()
    assert.deepEqual(types, [`${van} 2`, `${van} 4`, `${van} null`, `${van} 3`])
    const restarted = newReplica()
    const start = resultOf(await sender.get('/changes?from=snapshot&limit=1')) as Json
    const second = resultOf(await sender.get(`/changes?cursor=${start.cursor}&limit=1`)) as Json
    for (const page of [start, second]) applyPage(restarted, page, clock.now())
    assert.deepEqual([...restarted.objectRetentions], [[van, 3]])
  })

  it('is not shown to a key of other objects', async () => {
    const other = await scoped(fleet, sender, '--objects', String(truck))
    const { changes, cursor } = resultOf(await other.get('/changes?limit=10000')) as Json
    await keep('2')
    const later = resultOf(await other.get(`/changes?cursor=${cursor}`)) as Json
    const seen = [...changes, ...later.changes].filter(({ type }) => type === 'object_retention')
    assert.deepEqual(seen, [])
    await keep('none')
  })
})
