import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { assertEra, type FeedLoad } from './feed-load.ts'
import type { Json } from './fleetgate.ts'
import type { Sender } from './sender.ts'
import { historyOf, objectsOf } from './sent-fix.ts'

const MOST_ROWS = 10_000
/**
 * What a very late packet changes behind it is put right in the background: when it is looked for, in
 * milliseconds after each other. A look takes three of the ten requests that there are in 10 seconds.
 */
const LOOKS_MS = [0, 700, 700, 10_000, 700, 700, 10_000]

/** What the API says of each ident: the object, then its whole history. */
export type Shown = Map<string, Json[]>

/**
 * Checks an era after its kill, then sends everything of it again: what stands already is a duplicate,
 * and then all of it stands. `from`: which of what was sent is the first of the era.
 */
export async function assertEraAndRepeat(load: FeedLoad, era: number, from: number): Promise<void> {
  const standing = await assertEra(load, era)
  const rows = load.sent.slice(from).map(({ row }) => row)
  const stored = rows.length - standing
  const { rejects: _, ...outcome } = await load.sender.post(rows)
  assert.deepEqual(outcome, { stored, duplicate: standing, conflict: 0, rejected: 0 })
  if (stored === 0) return
  assert.equal((await load.sender.post(rows)).duplicate, rows.length)
}

/** What a judge shows that gets in order what the others got as it came. */
export async function judgedBy(judge: Sender, loads: readonly FeedLoad[]): Promise<Shown> {
  for (const load of loads) {
    const rows = load.sent.map(({ row }) => row)
    rows.sort((a, b) => a.time_device - b.time_device)
    for (let from = 0; from < rows.length; from += MOST_ROWS) {
      const batch = rows.slice(from, from + MOST_ROWS)
      assert.equal((await judge.post(batch)).stored, batch.length)
    }
  }
  return shownBy(
    judge,
    loads.flatMap(({ idents }) => idents),
  )
}

/** Everything is as the judge has it, in the end. */
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

/** Everything is as the judge has it, now. */
export async function assertShows(
  sender: Sender,
  idents: readonly string[],
  judged: Shown,
): Promise<void> {
  const shown = await shownBy(sender, idents)
  for (const ident of idents) assertSame(shown.get(ident), judged.get(ident))
}

/** But for ids and arrivals. */
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

/** Row by row: to print what differs in thousands would take longer than all of the test. */
function assertSame(actual: Json[] = [], expected: Json[] = []): void {
  assert.equal(actual.length, expected.length)
  for (const [i, row] of actual.entries()) assert.deepEqual(row, expected[i], `row ${i}`)
}
