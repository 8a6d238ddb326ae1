import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { assertEra, type FeedLoad, feedLoad, type SentRow } from './harness/feed-load.ts'
import { startFleet } from './harness/fleet.ts'
import type { Json } from './harness/fleetgate.ts'
import { assertIntegrity } from './harness/integrity.ts'
import { type Sender, senderOf } from './harness/sender.ts'
import { historyOf, objectsOf } from './harness/sent-fix.ts'

/** How many times the server is killed. */
const KILLS = Number(process.env.KILLS ?? 4)
const MOST_ROWS = 10_000
/** How long a server is under load at most. */
const LOAD_MS = 300
/**
 * What a very late packet changes behind it is put right in the background: when it is looked for, in
 * milliseconds after each other. A look takes three of the ten requests that there are in 10 seconds.
 */
const LOOKS_MS = [0, 700, 700, 10_000, 700, 700, 10_000]

const fleet = await startFleet({ full: 0, plain: 4 }, ['--geocoder', 'off'])
const senders = await Promise.all(
  Array.from({ length: 4 }, () => senderOf(fleet, fleet.take(), '--create-objects')),
)
/** Gets at the end, in order, what the others got as it came. */
const judge = senders.pop()!
const loads = senders.map((sender, number) => feedLoad(sender, `bus-${number}`))

/** A fraction that differs from kill to kill and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

describe(`kill -9 under feed load, ${KILLS} times`, () => {
  it('loses nothing that was acknowledged, and keeps nothing twice', async (t) => {
    for (let kill = 0; kill < KILLS; kill++) {
      try {
        await killOnce(kill)
      } catch (cause) {
        const errors = fleet.server.log.filter(({ err }) => err !== undefined)
        throw new Error(`kill ${kill}: ${cause}\n${JSON.stringify(errors)}`, { cause })
      }
    }
    const sent = loads.flatMap((load) => load.sent)
    const acknowledged = sent.filter((each) => each.acknowledged).length
    t.diagnostic(`${acknowledged} rows were acknowledged, ${sent.length - acknowledged} not`)
    assert.ok(acknowledged > 0 && acknowledged < sent.length, 'the kills came at no time to tell')
  })

  it('leaves a sound database', async () => {
    await fleet.server.kill()
    assertIntegrity(fleet.deployment)
    await fleet.restart('kill')
  })

  it('leaves counters and states that are those of all packets in their order', async () => {
    for (const load of loads) {
      const rows = load.sent.map(({ row }) => row)
      rows.sort((a, b) => a.time_device - b.time_device)
      for (let from = 0; from < rows.length; from += MOST_ROWS) {
        const batch = rows.slice(from, from + MOST_ROWS)
        assert.equal((await judge.post(batch)).stored, batch.length)
      }
    }
    const judged = await shownBy(
      judge,
      loads.flatMap(({ idents }) => idents),
    )
    for (const load of loads) await assertSettled(load, judged)
    // A new server, because each lets an organization ask no more than ten times.
    await fleet.restart('stop')
    for (const { sender, idents } of loads) {
      await fleet.json('recompute', '--org', String(sender.id))
      const recomputed = await shownBy(sender, idents)
      for (const ident of idents) assertSame(recomputed.get(ident), judged.get(ident))
    }
  })
})

async function killOnce(kill: number): Promise<void> {
  const before = loads.map(({ sent }) => sent.length)
  const running = Promise.all(loads.map((load) => load.run(kill)))
  // Some kills come with the first packets, some in the midst of them.
  await wait(spread(kill) * LOAD_MS)
  await fleet.restart('kill')
  await running
  const checks = loads.map(async (load, i) => {
    const standing = await assertEra(load, kill)
    const rows = load.sent.slice(before[i]).map(({ row }) => row)
    await assertRepeated(load, rows, standing)
  })
  await Promise.all(checks)
}

/** Everything of the kill again: what stands already is a duplicate, and then all of it stands. */
async function assertRepeated({ sender }: FeedLoad, rows: SentRow[], standing: number) {
  const stored = rows.length - standing
  const { rejects: _, ...outcome } = await sender.post(rows)
  assert.deepEqual(outcome, { stored, duplicate: standing, conflict: 0, rejected: 0 })
  if (stored === 0) return
  assert.equal((await sender.post(rows)).duplicate, rows.length)
}

/** Everything is as the judge has it, in the end. */
async function assertSettled({ sender, idents }: FeedLoad, judged: Map<string, Json[]>) {
  let fault: unknown
  for (const lookMs of LOOKS_MS) {
    await wait(lookMs)
    const shown = await shownBy(sender, idents)
    try {
      for (const ident of idents) assertSame(shown.get(ident), judged.get(ident))
      return
    } catch (error) {
      fault = error
    }
  }
  throw fault
}

/** What the API says of each ident: the object, then its whole history, but for ids and arrivals. */
async function shownBy(sender: Sender, idents: readonly string[]): Promise<Map<string, Json[]>> {
  const objects = await objectsOf(sender)
  const shown = new Map<string, Json[]>()
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
