import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import { senderOf } from '../harness/sender.ts'
import { assertLatest, historyOf, objectsOf, type SentFix } from '../harness/sent-fix.ts'

const fleet = await startFleet({ full: 0, plain: 3 })

/** The example of docs/feed.md, with times as ISO 8601 and as seconds. */
const DRIVING = {
  ident: '864301042977204',
  time_device: '2024-06-01T09:59:00Z',
  ...{ latitude: 41.4017359, longitude: 2.198777, altitude: 11.8, angle: 46, speed: 38.5 },
  ...{ hdop: 0.9, satellites: 11, ignition: true, odometer: 83_795.98, engine_hours: 5507.395 },
  address: 'Carrer de Pallars, 193',
}
const LATER = {
  ident: '864301042977204',
  time_device: 1_717_236_000,
  latitude: 41.402,
  longitude: 2.1991,
}
/** The second fix is within the receiver's drift and has no speed: the engine ran, and no distance is added. */
const SHOWN: SentFix = {
  ...{ ident: DRIVING.ident, time_device: '2024-06-01T10:00:00.000Z', address: DRIVING.address },
  ...{ latitude: 41.402, longitude: 2.1991, engine_hours: 1 / 60 },
}

const START = Date.parse('2024-06-01T00:00:00Z')
const array = (rows: unknown[]) => JSON.stringify(rows)
const lines = (rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const outcome = (counts: object) => ({
  ...{ stored: 0, duplicate: 0, conflict: 0, rejected: 0, rejects: [] },
  ...counts,
})

describe('Rows of Fleetgate’s own format', () => {
  /** An ident of its own, because that of the other way belongs to another organization. */
  const ident = '864301042977205'
  const packed = {
    body: gzipSync(`\n${lines([DRIVING, LATER].map((row) => ({ ...row, ident })))}\r\n`),
    headers: { 'content-encoding': 'gzip' },
  }
  for (const [way, unit, request, shown] of [
    ['a JSON array', 'km', { body: array([DRIVING, LATER]) }, SHOWN],
    ['NDJSON, packed', 'mi', packed, { ...SHOWN, ident }],
  ] as const) {
    it(`are shown with their place and time: ${way}`, async () => {
      const settings = ['--create-objects', '--distance-unit', unit]
      const sender = await senderOf(fleet, fleet.take(), ...settings)
      const post = () => sender.send('/positions', { method: 'POST', ...request })
      assert.deepEqual(resultOf(await post()), outcome({ stored: 2 }))
      await assertLatest(sender, await objectsOf(sender), [shown], unit)
      assert.deepEqual(resultOf(await post()), outcome({ duplicate: 2 }))
    })
  }
})

describe('A batch', async () => {
  const sender = await senderOf(fleet, fleet.take())
  const { van, truck } = sender.objects
  const good = { ident: IDENTS.truck, latitude: 41.4, longitude: 2.2 }
  const at = (minute: number) => START + minute * 60_000

  it('stores its good rows next to a bad one, and reports each result', async () => {
    const wrong: [unknown, string | null, string, RegExp][] = [
      [{ ...good }, IDENTS.truck, 'missing_field', /^time_device /],
      [{ ...good, time_device: at(0), ident: 7 }, null, 'bad_ident', /^ident /],
      [{ ...good, time_device: at(0), ident: 'none' }, 'none', 'unknown_ident', /'none'/],
      [7, null, 'bad_row', /JSON object/],
      [{ ...good, time_device: at(0), latitude: 91 }, IDENTS.truck, 'out_of_range', /./],
      [{ ...good, time_device: at(0), latitude: 0, longitude: 0 }, IDENTS.truck, 'no_fix', /./],
      [{ ...good, time_device: Date.now() + 90_000_000 }, IDENTS.truck, 'in_future', /./],
      [{ ...good, time_device: at(0), hdop: 10.5 }, IDENTS.truck, 'hdop_above_maximum', /./],
      // The van requires four satellites.
      [
        { ...good, ident: IDENTS.van, time_device: at(0), satellites: 3 },
        ...([IDENTS.van, 'gps_level_below_minimum', /./] as const),
      ],
    ]
    const before = await historyOf(sender, truck)
    const rows = wrong.flatMap(([row], i) => [row, { ...good, time_device: at(i + 1) }])
    const result = await sender.post(rows as object[])
    const { length } = wrong
    assert.deepEqual(
      { ...result, rejects: result.rejects.length },
      outcome({ stored: length, rejected: length, rejects: length }),
    )
    for (const [i, [, ident, reason, message]] of wrong.entries()) {
      const reject = result.rejects[i]
      assert.deepEqual([reject.index, reject.ident, reject.reason], [2 * i, ident, reason])
      assert.match(reject.message, message)
    }
    const rowsNow = (await historyOf(sender, truck)).slice(before.length)
    assert.deepEqual(
      rowsNow.map(({ time_device }: Json) => Date.parse(time_device)),
      wrong.map((_, i) => at(i + 1)),
    )
  })

  it('may have no rows', async () => {
    assert.deepEqual(await sender.post([]), outcome({}))
  })

  it('stores its good lines beside one that is not JSON', async () => {
    const row = (minute: number) => JSON.stringify({ ...good, time_device: at(minute) })
    const body = `${row(100)}\n{"ident":\n\n${row(101)}`
    const result = resultOf(await sender.send('/positions', { method: 'POST', body }))
    assert.deepEqual([result.stored, result.rejected], [2, 1])
    assert.deepEqual([result.rejects[0].index, result.rejects[0].reason], [1, 'bad_json'])
  })

  it('reports another fix of the same moment as a conflict and keeps the better one', async () => {
    const fix = { ...good, time_device: at(200) }
    const [worse, better] = [3, 2].map((hdop) => ({ ...fix, hdop, altitude: hdop * 100 }))
    assert.deepEqual(await sender.post([worse!]), outcome({ stored: 1 }))
    assert.deepEqual(await sender.post([better!, worse!]), outcome({ conflict: 2 }))
    assert.equal((await historyOf(sender, truck)).at(-1).altitude, 200)
  })

  it('names rows that are older than the retention period', async () => {
    await fleet.json('org', 'update', String(sender.id), '--retention-days', '30')
    const result = await sender.post([{ ...good, ident: IDENTS.van, time_device: at(0) }])
    assert.equal(result.rejects[0].reason, 'beyond_retention')
    await fleet.json('org', 'update', String(sender.id), '--retention-days', 'none')
    assert.deepEqual((await historyOf(sender, van)).length, 12)
  })

  it('may have 10,000 rows; with one more it is refused whole', async () => {
    const row = (i: number) => ({ ...good, time_device: START + 86_400_000 + i * 1000 })
    const rows = Array.from({ length: 10_001 }, (_, i) => row(i))
    const over = { method: 'POST', body: lines(rows) }
    assertRefused(await sender.send('/positions', over), 413, 'FEED.413_002', /10000 rows/)
    assert.deepEqual(await sender.post(rows.slice(1)), outcome({ stored: 10_000 }))
  })

  it('is refused whole if it cannot be parsed', async () => {
    const whole = array([{ ...good, time_device: at(300) }])
    for (const [body, says] of [
      ['', /empty/],
      [whole.slice(0, -1), /^The body must be JSON: /],
    ] as const) {
      const answer = await sender.send('/positions', { method: 'POST', body })
      assertRefused(answer, 400, 'FEED.400_001', says)
    }
  })
})
