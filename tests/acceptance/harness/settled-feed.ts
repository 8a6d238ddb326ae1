import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { assertEra, type FeedLoad } from './feed-load.ts'
import type { Json } from './fleetgate.ts'
import type { Sender } from './sender.ts'
import { historyOf, objectsOf } from './sent-fix.ts'

const MAX_ROWS = 10_000
/**
 * Milliseconds between the checks of a history: the server repairs the rows after a very late packet in the
 * background. A check takes three requests of the rate window.
 */
const LOOKS_MS = [0, 700, 700, 10_000, 700, 700, 10_000, 10_000, 20_000]

/** The API's answer for each ident: the object, then its whole history. */
export type Shown = Map<string, Json[]>

/**
 * Checks an era after its kill, then sends the whole era again: stored rows are duplicates, and all rows must be
 * stored then. `from`: index of the first sent row of the era.
 */
export async function assertEraAndRepeat(load: FeedLoad, era: number, from: number): Promise<void> {
  const alreadyStored = await assertEra(load, era)
  const rows = load.sent.slice(from).map(({ row }) => row)
  const stored = rows.length - alreadyStored
  const { rejects: _, ...outcome } = await load.sender.post(rows)
  assert.deepEqual(outcome, { stored, duplicate: alreadyStored, conflict: 0, rejected: 0 })
  if (stored === 0) return
  assert.equal((await load.sender.post(rows)).duplicate, rows.length)
}

/**
 * The answers of a reference organization, which receives in order the rows that the others received as they
 * came.
 */
export async function judgedBy(judge: Sender, loads: readonly FeedLoad[]): Promise<Shown> {
  for (const load of loads) {
    const rows = load.sent.map(({ row }) => row)
    rows.sort((a, b) => a.time_device - b.time_device)
    for (let from = 0; from < rows.length; from += MAX_ROWS) {
      const batch = rows.slice(from, from + MAX_ROWS)
      assert.equal((await judge.post(batch)).stored, batch.length)
    }
  }
  return shownBy(
    judge,
    loads.flatMap(({ idents }) => idents),
  )
}

/** Waits until all organizations show the same as the reference. */
export async function assertSettled(
  { sender, idents }: Pick<FeedLoad, 'sender' | 'idents'>,
  judged: Shown,
): Promise<void> {
  let fault: unknown
  for (const lookMs of LOOKS_MS) {
    await wait(lookMs)
    try {
      await assertShows(sender, idents, judged)
      return
    } catch (error) {
      fault = error
    }
  }
  throw fault
}

/** All organizations show the same as the reference now. */
export async function assertShows(
  sender: Sender,
  idents: readonly string[],
  judged: Shown,
): Promise<void> {
  const shown = await shownBy(sender, idents)
  for (const ident of idents) assertSame(shown.get(ident), judged.get(ident))
}

/** Without ids and arrival times. */
async function shownBy(sender: Sender, idents: readonly string[]): Promise<Shown> {
  const objects = await objectsOf(sender)
  const shown: Shown = new Map()
  for (const ident of idents) {
    const object = objects.get(ident)
    const rows = [object, ...(await historyOf(sender, object.id))]
    for (const row of rows) {
      delete row.id
      delete row.time_server
      delete row.created_at
    }
    shown.set(ident, rows)
  }
  return shown
}

/** Row by row: printing a difference of thousands of rows would take longer than the whole test. */
function assertSame(actual: Json[] = [], expected: Json[] = []): void {
  assert.equal(actual.length, expected.length)
  for (const [i, row] of actual.entries()) assert.deepEqual(row, expected[i], `row ${i}`)
}
