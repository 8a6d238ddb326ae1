import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { resultOf } from '../envelope.ts'
import type { Json } from '../fleetgate.ts'
import type { Sender } from '../sender.ts'
import { historyOf, objectsOf } from '../sent-fix.ts'
import { hasPosition, historyIn, type Replica } from './replica.ts'
import type { SentPacket, Trackers } from './trackers.ts'

/** The API's answers about an object. */
export type ShownObject = { detail: Json; latest: Json; rows: Json[] }

const PATIENCE_MS = 10_000

/** Asks for the latest position, detail and history of each ident: two requests, and two for each ident. */
export async function shownBy(
  sender: Sender,
  idents: Iterable<string>,
): Promise<Map<string, ShownObject>> {
  const patient = { ...sender, get: (path: string) => answered(sender, path) }
  const objects = await objectsOf(patient)
  const ids = Array.from(idents, (ident) => objects.get(ident).id as number)
  const latest: Json[] = resultOf(await patient.get(`/positions/latest?ids=${ids.join(',')}`))
  const shown = new Map<string, ShownObject>()
  for (const [at, ident] of [...idents].entries()) {
    const detail = resultOf(await patient.get(`/objects/${ids[at]}`))
    shown.set(ident, { detail, latest: latest[at], rows: await historyOf(patient, ids[at]!) })
  }
  return shown
}

/** A connection that ended with its server answers 503 once. */
async function answered(sender: Sender, path: string) {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await sender.get(path)
    if (answer.status !== 503 || performance.now() > giveUpAt) return answer
    await wait(20)
  }
}

/** A history has each acknowledged packet once, in the order of time, and no row that was not sent. */
export function assertStored(rows: readonly Json[], packets: readonly SentPacket[]): void {
  const sent = new Map(packets.map((packet) => [packet.row.time_device, packet]))
  let last = Number.NEGATIVE_INFINITY
  let acknowledged = 0
  for (const { time_device, latitude, longitude } of rows) {
    const time = Date.parse(time_device)
    assert.ok(time > last, `the row of ${time_device} is not after the one before`)
    last = time
    const packet = sent.get(time)
    assert.deepEqual([latitude, longitude], [packet?.row.latitude, packet?.row.longitude])
    if (packet!.acknowledged) acknowledged += 1
  }
  const all = packets.filter((packet) => packet.acknowledged).length
  assert.equal(acknowledged, all, `${all} packets were acknowledged, ${acknowledged} are stored`)
}

/** The acknowledged packets that a replica lacks. */
export function gapsIn(replica: Replica, packets: readonly SentPacket[]): number {
  return packets.filter(
    ({ row: { ident, time_device: time }, acknowledged }) =>
      acknowledged && !hasPosition(replica, ident, time),
  ).length
}

/** The positions that came twice, although no late packet rewrote them. */
export function doublesIn({ rewrites }: Replica, { inOrder }: Trackers): number {
  return inOrder.reduce((sum, ident) => sum + (rewrites.get(ident) ?? 0), 0)
}

/** The replica has the rows of the history, and the state of the latest position and the detail if it has states. */
export function assertReplica(replica: Replica, { detail, latest, rows }: ShownObject): void {
  const own = historyIn(replica, detail.id)
  assert.equal(own.length, rows.length, `${own.length} rows of ${detail.ident}, not ${rows.length}`)
  for (const [at, row] of own.entries()) assert.deepEqual(row, rows[at], `row ${at}`)
  assert.deepEqual(own.at(-1), latest)
  const state = replica.states.get(detail.id)
  if (state === undefined) return
  const shown = Object.keys(state).map((field) => [field, detail[field]])
  assert.deepEqual(state, Object.fromEntries(shown))
  const object = replica.items.object.get(detail.id)
  if (object !== undefined) assert.deepEqual({ ...object, ...state }, detail)
}
