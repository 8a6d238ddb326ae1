import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_DAYS, WHOLE_RANGE } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { scoped } from '../harness/scoped.ts'
import { type Sender, senderWith } from '../harness/sender.ts'
import { DAY, drive, MINUTE } from '../trips/records-fleet.ts'
import { COUNTER_FIELDS, FIELDS, plainDigest } from './plain-digest.ts'

const COLUMNS = [
  ...['object_id', 'ident', 'name', 'date', 'positions', 'first_time', 'last_time'],
  ...['longest_gap', 'late', 'worst_lateness', 'rejected', 'changed_at', 'digest'],
  'counters_digest',
]
const HOUR = 60 * MINUTE
const RANGE = 'from_date=2026-05-03&to_date=2026-05-06'

const fleet = await startFleet()
const iso = (time: number) => new Date(time).toISOString()

describe('GET /coverage: 200', async () => {
  const begun = Date.now()
  const late = DAY + 23 * HOUR + 45 * MINUTE
  const rows = [...drive('C-1', DAY + 8 * HOUR), ...drive('C-1', late), ...drive('C-2', DAY)]
  const sender = await senderWith(fleet, rows)
  const [first, second] = sender.ids as [number, number]
  const list = async (caller: Pick<Sender, 'get'> = sender, query = RANGE) =>
    resultOf(await caller.get(`/coverage?ids=${first},${second}&${query}`)) as Json[]

  /** The rows of all positions with exact counters, by object and day. */
  async function rowsByDay(): Promise<Map<string, Json[]>> {
    const types = `types=positions&ids=${first},${second}&include=exact&limit=10000`
    const { changes } = resultOf(await sender.get(`/changes?from=history&${types}`))
    const rows = changes.flatMap(({ position }: Json) => position ?? []) as Json[]
    return Map.groupBy(rows, ({ id, time_device }) => `${id} ${time_device.slice(0, 10)}`)
  }

  async function assertDigests(days: Json[]): Promise<void> {
    const rows = await rowsByDay()
    assert.equal(rows.size, days.length)
    for (const { object_id, date, positions, digest, counters_digest } of days) {
      // The order does not matter.
      const own = rows.get(`${object_id} ${date}`)!.toReversed()
      assert.equal(positions, own.length)
      assert.equal(digest, plainDigest(own, FIELDS))
      assert.equal(counters_digest, plainDigest(own, COUNTER_FIELDS))
    }
  }

  it('has a row for each object and UTC day with positions, with the documented fields', async () => {
    const days = await list()
    assert.deepEqual(
      days.map(({ object_id, date }) => [object_id, date]),
      [
        [first, '2026-05-04'],
        [first, '2026-05-05'],
        [second, '2026-05-04'],
      ].sort(([a], [b]) => Number(a) - Number(b)),
    )
    const day = days.find(({ object_id }) => object_id === first)!
    assert.deepEqual(Object.keys(day), COLUMNS)
    assert.equal(day.first_time, iso(DAY + 8 * HOUR))
    const gap = (late - (DAY + 8 * HOUR + 20 * MINUTE + 200_000)) / 1_000
    assert.equal(day.longest_gap, gap)
    assert.equal(day.late, day.positions)
    assert.ok(day.worst_lateness > 3_600)
    assert.deepEqual(day.rejected, {})
    const changedAt = Date.parse(day.changed_at)
    assert.ok(changedAt > begun - 1_000 && changedAt <= Date.now())
    await assertDigests(days)
  })

  it('follows late positions, and the counters that they shift', async () => {
    const before = await list()
    const [added] = drive('C-1', DAY + 10 * HOUR)
    await sender.post([{ ...added, longitude: 2.01, speed: 60, ignition: true }])
    const after = await list()
    await assertDigests(after)
    const changed = after.filter(({ digest }, i) => digest !== before[i]!.digest)
    assert.deepEqual(
      changed.map(({ object_id, date }) => [object_id, date]),
      [[first, '2026-05-04']],
    )
    const [row] = changed as [Json]
    assert.ok(row.changed_at >= before.find((each) => each.object_id === first)!.changed_at)
    assert.deepEqual(await list(), after)
  })

  it('counts rejected packets by reason, on days without positions too', async () => {
    const wrong = { ident: 'C-2', latitude: 41, longitude: 2, hdop: 90 }
    await sender.post([
      { ...wrong, time_device: iso(DAY + 9 * HOUR) },
      { ...wrong, time_device: iso(DAY + 9 * HOUR + 1) },
      { ...wrong, time_device: iso(DAY + 49 * HOUR) },
    ])
    const days = (await list()).filter(({ object_id }) => object_id === second)
    assert.deepEqual(
      days.map(({ date, rejected }) => [date, rejected]),
      [
        ['2026-05-04', { hdop_above_maximum: 2 }],
        ['2026-05-06', { hdop_above_maximum: 1 }],
      ],
    )
    const { first_time, changed_at, digest, positions } = days[1]!
    assert.deepEqual([first_time, changed_at, digest, positions], [null, null, '0'.repeat(64), 0])
  })

  it('shows a scoped key only what it may see', async () => {
    const from = iso(DAY + 12 * HOUR)
    const narrow = ['--objects', String(first), '--data-from', from, '--operations', 'coverage']
    const key = await scoped(fleet, sender, ...narrow)
    const [day, ...rest] = await list(key)
    assert.deepEqual(
      rest.map(({ object_id, date }) => [object_id, date]),
      [[first, '2026-05-05']],
    )
    assert.equal(day!.rejected, null)
    assert.ok(day!.first_time >= from)
    const rows = (await rowsByDay()).get(`${first} 2026-05-04`)!
    const visible = rows.filter(({ time_device }) => time_device >= from)
    assert.equal(day!.digest, plainDigest(visible, FIELDS))
  })

  it('is as the history shows it, in kilometers and in miles', async () => {
    for (const caller of fleet.full.slice(0, 2)) {
      const { van } = caller.objects
      const rows = resultOf(await caller.get(`/objects/${van}/positions?${WHOLE_RANGE}`))
      const [day] = resultOf(await caller.get(`/coverage?ids=${van}&${WHOLE_DAYS}`)) as Json[]
      assert.equal(day!.digest, plainDigest(rows, FIELDS))
    }
  })

  it('has no rows for days without anything', async () => {
    const answer = await fleet.ask(() => '/coverage?from_date=2020-01-01&to_date=2020-12-31')
    assert.deepEqual(resultOf(answer), [])
  })
})
