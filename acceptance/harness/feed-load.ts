import assert from 'node:assert/strict'
import type { Answer } from './client.ts'
import { resultOf } from './envelope.ts'
import type { Json } from './fleetgate.ts'
import type { Sender } from './sender.ts'
import { historyOf, objectsOf } from './sent-fix.ts'

/** A row as Fleetgate's own format has it; times in milliseconds. */
export type SentRow = {
  ident: string
  time_device: number
  latitude: number
  longitude: number
  altitude: number
  speed: number
  ignition: boolean
}

/** A row that went out; `acknowledged`: and was answered with a 2xx. */
type Sent = { row: SentRow; acknowledged: boolean }

const START = Date.parse('2025-03-01T00:00:00Z')
const HOUR = 3_600_000
/** How late packets come; so far apart that the eras of 200 kills do not meet. */
const LATE = { seconds: 5_003, hours: 4 * HOUR, month: 30 * 24 * HOUR } as const
/** The moments of an era: those in time, and those a little late before it. */
const ERA = 60_000
const BEFORE = 6_000
/** Between two packets of one organization. */
const STEP = 10

const KNOT = 1.852
const CONNECTIONS = 3
const BATCH = 40

/** Trackers of one organization, and all that they have sent. */
export type FeedLoad = {
  sender: Sender
  idents: readonly string[]
  sent: Sent[]
  /**
   * Sends on several connections, packets and batches, in time and late, until the server is gone.
   * Resolves with when those requests were sent that were not answered (`performance.now()`).
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

  /** A batch with late ones in it, a packet in time, a late packet, and so on. */
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

/** Where a vehicle is that drives round a circle at some 70 km/h and now and then does not. */
function rowAt(ident: string, time: number): SentRow {
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

function sendBatch(sender: Sender, rows: SentRow[]): Promise<Answer> {
  return sender.send('/positions', { method: 'POST', body: JSON.stringify(rows) })
}

function sendPacket(sender: Sender, row: SentRow): Promise<Answer> {
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
 * Compares an era's history with what was sent in it: every acknowledged row is there, once; what was
 * not acknowledged may be; nothing else is. Returns how many are there. Seven requests.
 */
export async function assertEra({ sender, idents, sent }: FeedLoad, era: number): Promise<number> {
  const objects = await objectsOf(sender)
  let standing = 0
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
      for (const [i, row] of rows.entries()) assert.deepEqual(told(row), told(expected[i]!.row))
      standing += rows.length
    }
  }
  return standing
}

/** What of a row comes out as it went in. */
function told({ time_device, latitude, longitude, altitude, speed }: Json) {
  const time = new Date(time_device).toISOString()
  return { time, latitude, longitude, altitude, speed: Number(speed.toFixed(2)) }
}
