import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from '../client.ts'
import { resultOf } from '../envelope.ts'
import { LATE, rowAt, type SentRow, START, sendBatch, sendPacket } from '../feed-load.ts'
import type { Sender } from '../sender.ts'

/** A packet that was sent. `acknowledged`: a request with it was answered with a 200. */
export type SentPacket = { row: SentRow; acknowledged: boolean }

/** Vehicles of one organization that send through kills: each repeats a request until it is acknowledged. */
export type Trackers = {
  readonly sender: Sender
  /** All packets by ident. */
  readonly sent: ReadonlyMap<string, SentPacket[]>
  /** The idents whose packets come in the order of time. */
  readonly inOrder: readonly string[]
  readonly acknowledged: () => number
  /** The answers that neither acknowledge nor ask to send again. */
  readonly faults: string[]
  /** The statuses of the last answers that acknowledged nothing, by ident. */
  readonly refusals: ReadonlyMap<string, number>
  start(): void
  /** Resolves when the last packets are acknowledged; `atOnce`: after the present answers. */
  stop(atOnce?: boolean): Promise<void>
}

type Send = (sender: Sender, rows: SentRow[]) => Promise<Answer>
type Request = { rows: SentRow[]; send: Send }

const PACE_MS = 100
const RETRY_MS = 20
const BATCH = 10
/** One in this many requests is sent again after its acknowledgement. */
const AGAIN = 6
/** One in this many requests is not repeated if it was not acknowledged. */
const GIVEN_UP = 8
const KNOT = 1.852

/** `known`: the ident of an object that exists. The others are created by their first packets. */
export function openTrackers(sender: Sender, known: string): Trackers {
  const idents = { batches: known, singles: `singles-${sender.id}`, late: `late-${sender.id}` }
  const sent = new Map<string, SentPacket[]>(Object.values(idents).map((ident) => [ident, []]))
  const faults: string[] = []
  const refusals = new Map<string, number>()
  let acknowledged = 0
  let isOver = false
  let isCut = false
  let driving: Promise<unknown> | undefined

  async function isAcknowledged({ rows, send }: Request): Promise<boolean> {
    const answer = await send(sender, rows).catch(() => undefined)
    if (answer?.status === 200) {
      if (rows.length > 1) checkTally(answer, rows)
      return true
    }
    refusals.set(rows[0]!.ident, answer?.status ?? 0)
    const isOutage = answer?.status === 503 && answer.headers['retry-after'] !== undefined
    if (answer !== undefined && !isOutage) throw new Error(`${answer.status} ${answer.text}`)
    return false
  }

  async function deliver(request: Request, turn: number): Promise<void> {
    const packets = request.rows.map((row) => ({ row, acknowledged: false }))
    for (const packet of packets) sent.get(packet.row.ident)!.push(packet)
    while (!(await isAcknowledged(request))) {
      if (turn % GIVEN_UP === 0 || isCut) return
      await wait(RETRY_MS)
    }
    for (const packet of packets) packet.acknowledged = true
    acknowledged += packets.length
    if (turn % AGAIN === 0) await isAcknowledged(request)
  }

  async function drive(requests: Iterable<Request>): Promise<void> {
    let turn = 0
    for (const request of requests) {
      if (isOver) return
      turn += 1
      const pace = wait(PACE_MS)
      await deliver(request, turn)
      await pace
    }
  }

  return {
    sender,
    sent,
    inOrder: [idents.batches, idents.singles],
    acknowledged: () => acknowledged,
    faults,
    refusals,
    start() {
      const all = [batchesOf(idents.batches), singlesOf(idents.singles), lateOf(idents.late)]
      const report = (error: unknown) => void faults.push(`${error}`.slice(0, 400))
      driving = Promise.all(all.map((requests) => drive(requests).catch(report)))
    },
    async stop(atOnce = false) {
      isOver = true
      isCut = atOnce
      await driving
    },
  }
}

function checkTally(answer: Answer, rows: SentRow[]): void {
  const { stored, duplicate } = resultOf(answer)
  if (stored + duplicate !== rows.length) throw new Error(answer.text)
}

function* batchesOf(ident: string): Generator<Request> {
  for (let slot = 0; ; slot += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, i) => rowAt(ident, START + (slot + i) * 1_000))
    yield { rows, send: sendBatch }
  }
}

function* singlesOf(ident: string): Generator<Request> {
  for (let slot = 0; ; slot += 1) {
    yield { rows: [rowAt(ident, START + slot * 1_000)], send: SINGLE[slot % SINGLE.length]! }
  }
}

/** In time, late by seconds, hours and a month, each with milliseconds of its own, so that none coincide. */
function* lateOf(ident: string): Generator<Request> {
  const [seconds, hours, month] = [LATE.seconds, LATE.hours + 1, LATE.month + 2]
  const delays = [0, seconds, 0, 0, 0, hours, 0, seconds, 0, 0, 0, month]
  let slot = 0
  const next = (delay: number) => {
    slot += 1
    return rowAt(ident, START + slot * 1_000 - delay)
  }
  for (let turn = 0; ; turn += 1) {
    const delay = delays[turn % delays.length]!
    if (turn % 2 === 0)
      yield { rows: Array.from({ length: BATCH }, () => next(0)), send: sendBatch }
    else yield { rows: [next(delay)], send: SINGLE[turn % SINGLE.length]! }
  }
}

const sendOne: Send = (sender, [row]) => sendPacket(sender, row!)

const sendOwnTracks: Send = (sender, [row]) => {
  const { ident, time_device, latitude, longitude, altitude, speed } = row!
  const place = { lat: latitude, lon: longitude, alt: altitude, vel: speed }
  return post(sender, '/owntracks', {
    ...{ _type: 'location', topic: ident, tst: time_device / 1_000 },
    ...place,
  })
}

const sendTraccar: Send = (sender, [row]) => {
  const { ident, time_device, latitude, longitude, altitude, speed, ignition } = row!
  const position = { fixTime: new Date(time_device).toISOString(), latitude, longitude, altitude }
  return post(sender, '/traccar', {
    position: { ...position, speed: speed / KNOT, attributes: { ignition } },
    device: { uniqueId: ident },
  })
}

const SINGLE: readonly Send[] = [sendOne, sendOwnTracks, sendTraccar]

function post(sender: Sender, path: string, message: object): Promise<Answer> {
  return sender.send(path, { method: 'POST', body: JSON.stringify(message) })
}
