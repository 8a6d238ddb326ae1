import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { feedLoad } from '../../harness/feed-load.ts'
import { startFleetProcess } from '../../harness/fleet.ts'
import { assertIntegrity } from '../../harness/integrity.ts'
import { senderOf } from '../../harness/sender.ts'
import {
  assertEraAndRepeat,
  assertSettled,
  assertShows,
  judgedBy,
} from '../../harness/settled-feed.ts'

/** Number of kills; `npm run chaos` makes hundreds. */
const KILLS = 2
/** The longest time under load before a kill. */
const LOAD_MS = 300

const fleet = await startFleetProcess({ full: 0, plain: 4 })
const senders = await Promise.all(
  Array.from({ length: 4 }, () => senderOf(fleet, fleet.take(), '--create-objects')),
)
const judge = senders.pop()!
const loads = senders.map((sender, number) => feedLoad(sender, `bus-${number}`))

const hasAcknowledged = () => loads.some(({ sent }) => sent.some((each) => each.acknowledged))

/** A fraction that differs between kills and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

describe(`kill -9 under feed load, ${KILLS} times`, () => {
  it('loses no acknowledged packet, and stores none twice', async (t) => {
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

  it('leaves an intact database', async () => {
    await fleet.server.kill()
    assertIntegrity(fleet.deployment)
    await fleet.restart((server) => server.kill())
  })

  it('leaves the counters and states of all packets in order', async () => {
    const idents = loads.flatMap((load) => load.idents)
    for (const ident of idents) {
      const to = ['--orgs', String(judge.id), '--if-owned', 'share']
      await fleet.json('routing', 'waiting', 'assign', ident, ...to)
    }
    const judged = await judgedBy(judge, loads)
    for (const load of loads) await assertSettled(load, judged)
    // A new server, because each has an empty rate window.
    await fleet.restart()
    for (const { sender, idents } of loads) {
      await fleet.json('recompute', '--org', String(sender.id))
      await assertShows(sender, idents, judged)
    }
  })
})

async function killOnce(kill: number): Promise<void> {
  const before = loads.map(({ sent }) => sent.length)
  const running = Promise.all(loads.map((load) => load.run(kill)))
  // Some kills come with the first packets, some in the middle.
  await wait(spread(kill) * LOAD_MS)
  // On a busy machine the first acknowledgement comes late. At least the last kill comes after it.
  while (kill === KILLS - 1 && !hasAcknowledged()) await wait(10)
  await fleet.restart((server) => server.kill())
  await running
  await Promise.all(loads.map((load, i) => assertEraAndRepeat(load, kill, before[i]!)))
}
