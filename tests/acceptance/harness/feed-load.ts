import assert from 'node:assert/strict'
import type { Answer } from './client.ts'
import { resultOf } from './envelope.ts'
import type { Json } from './fleetgate.ts'
import type { Sender } from './sender.ts'
import { historyOf, objectsOf } from './sent-fix.ts'

/** A row in Fleetgate's own format; times in milliseconds. */
export type SentRow = {
  ident: string
  time_device: number
  latitude: number
  longitude: number
  altitude: number
  speed: number
  ignition: boolean
}

/** A row that was sent. `acknowledged`: the server answered its request with a 2xx. */
type Sent = { row: SentRow; acknowledged: boolean }

export const START = Date.parse('2025-03-01T00:00:00Z')
const HOUR = 3_600_000
/** Delays of late packets, spaced so that the eras of 200 kills do not overlap. */
export const LATE = { seconds: 5_003, hours: 4 * HOUR, month: 30 * 24 * HOUR } as const
/** Milliseconds of one era: fixes in time, preceded by fixes a little late. */
const ERA = 60_000
const BEFORE = 6_000
/** Milliseconds between two packets of one organization. */
const STEP = 10

const KNOT = 1.852
const CONNECTIONS = 3
const BATCH = 40

/** Trackers of one organization, and all rows that they have sent. */
export type FeedLoad = {
  sender: Sender
  idents: readonly string[]
  sent: Sent[]
  /**
   * Sends packets and batches, in time and late, on several connections, until the server is gone. Resolves with
   * the start times (`performance.now()`) of the unanswered requests.
   */
  run(era: number): Promise<number[]>
}

export function feedLoad(sender: Sender, name: string): FeedLoad {
  const idents = [`${name}-a`, `${name}-b`]
  const sent: Sent[] = []
  let slot = 0

  async function connection(era: number, number: number): Promise<number> {
    for (let turn = number; ; turn += 1) {
      const rows = nextRows(era, turn)
      const going = rows.map((row) => ({ row, acknowledged: false }))
      sent.push(...going)
      const sentAt = performance.now()
      const answer = await (rows.length === 1
        ? sendPacket(sender, rows[0]!)
        : sendBatch(sender, rows)
      ).catch(() => undefined)
      if (answer === undefined) return sentAt
      assertStored(answer, rows)
      for (const each of going) each.acknowledged = true
    }
  }

  /** Alternates between a batch with late rows, a packet in time, a late packet, and so on. */
  function nextRows(era: number, turn: number): SentRow[] {
    const late = Object.values(LATE)[turn % 3]!
    if (turn % 4 === 0) return [nextRow(era, 0)]
    if (turn % 4 === 1) return [nextRow(era, late)]
    return Array.from({ length: BATCH }, (_, i) => nextRow(era, i % 8 === 7 ? late : 0))
  }

  function nextRow(era: number, lateMs: number): SentRow {
    slot += 1
    const time = START + era * ERA + slot * STEP
    assert.ok(slot * STEP < ERA - BEFORE, 'the era is over: start another')
    return rowAt(idents[slot % 2]!, time - lateMs)
  }

  return {
    sender,
    idents,
    sent,
    run(era) {
      slot = 0
      const numbers = Array.from({ length: CONNECTIONS }, (_, number) => number)
      return Promise.all(numbers.map((number) => connection(era, number)))
    },
  }
}

/** A vehicle that drives round a circle at some 70 km/h and stops now and then. */
export function rowAt(ident: string, time: number): SentRow {
  const turn = time / 280_000
  const phase = Math.floor(time / 50) % 9
  return {
    ident,
    time_device: time,
    latitude: Number((41 + 0.05 * Math.sin(turn)).toFixed(7)),
    longitude: Number((2 + 0.05 * Math.cos(turn)).toFixed(7)),
    altitude: time % 997,
    speed: Number(((phase < 6 ? 38 : 0) * KNOT).toFixed(6)),
    ignition: phase !== 8,
  }
}

export function sendBatch(sender: Sender, rows: SentRow[]): Promise<Answer> {
  return sender.send('/positions', { method: 'POST', body: JSON.stringify(rows) })
}

export function sendPacket(sender: Sender, row: SentRow): Promise<Answer> {
  const { ident, time_device, latitude, longitude, altitude, speed, ignition } = row
  const place = `lat=${latitude}&lon=${longitude}&altitude=${altitude}`
  const motion = `speed=${speed / KNOT}&ignition=${ignition}`
  return sender.send(`/osmand?id=${ident}&timestamp=${time_device}&${place}&${motion}`)
}

function assertStored(answer: Answer, rows: SentRow[]): void {
  if (rows.length === 1) {
    assert.deepEqual([answer.status, answer.text], [200, ''])
    return
  }
  const { stored, ...rest } = resultOf(answer)
  assert.equal(stored, rows.length, JSON.stringify(rest).slice(0, 400))
}

/**
 * Compares the history of an era with the rows that were sent in it. Every acknowledged row must appear exactly
 * once; an unacknowledged row may appear; no other row may. Returns the number of rows. Makes seven requests.
 */
export async function assertEra({ sender, idents, sent }: FeedLoad, era: number): Promise<number> {
  const objects = await objectsOf(sender)
  let storedCount = 0
  for (const ident of idents) {
    for (const late of [0, LATE.hours, LATE.month]) {
      const from = START + era * ERA - BEFORE - late
      const to = from + ERA - 1
      const mine = sent
        .filter(
          ({ row }) => row.ident === ident && row.time_device >= from && row.time_device <= to,
        )
        .sort((a, b) => a.row.time_device - b.row.time_device)
      const id = objects.get(ident)?.id
      const rows = id === undefined ? [] : await historyOf(sender, id, { from, to })
      const times = new Set(rows.map((row) => Date.parse(row.time_device)))
      const expected = mine.filter(
        ({ row, acknowledged }) => acknowledged || times.has(row.time_device),
      )
      assert.equal(rows.length, expected.length, `${ident} of era ${era}, ${late} ms late`)
      for (const [i, row] of rows.entries())
        assert.deepEqual(sentFields(row), sentFields(expected[i]!.row))
      storedCount += rows.length
    }
  }
  return storedCount
}

/** The fields of a row that an answer returns unchanged. */
function sentFields({ time_device, latitude, longitude, altitude, speed }: Json) {
  const time = new Date(time_device).toISOString()
  return { time, latitude, longitude, altitude, speed: Number(speed.toFixed(2)) }
}
