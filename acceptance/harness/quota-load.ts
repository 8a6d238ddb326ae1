import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Answer } from './client.ts'
import { resultOf } from './envelope.ts'
import { IDENTS } from './fleet-data.ts'
import type { Sender } from './sender.ts'

/** Requests of one organization that count against the quota of its van: whole units, and hundredths of one. */
export type QuotaLoad = {
  /** Sends the positions that `/changes` is charged for. */
  prepare(): Promise<void>
  /** Sends requests until the window is almost full or the server is gone. */
  run(): Promise<void>
  /** Sends one more. The counter must include every answered charge, and no charge that was not asked for. */
  assertCharged(): Promise<void>
  /** The same to a hundredth, because a page of changes ends where its quota does. `limit` sets the quota. */
  assertExactlyCharged(limit: (units: number) => Promise<void>): Promise<void>
  /** The hundredths of a unit that were asked for, and those that were answered with a 200. */
  counts(): { sent: number; answered: number }
}

const UNIT = 100
const MAX_TRIES = 5
/** The positions behind the cursor: enough for a page that costs a unit. */
const ROWS = UNIT
const START = Date.parse('2025-02-01T00:00:00Z')
/** The positions of a page of changes. They add up to other hundredths with each request. */
const LIMITS = [1, 7, 37, 89] as const

/** `quota`: the daily quota of the organization, which the load never reaches. */
export function quotaLoad(caller: Sender, quota: number): QuotaLoad {
  const { van } = caller.objects
  const latest = `/positions/latest?ids=${van}`
  const paths = [`/objects/${van}`, latest]
  let cursor: string
  let requests = 0
  let sent = 0
  let answered = 0

  async function charge(path: string, hundredths: number): Promise<Answer | undefined> {
    sent += hundredths
    const answer = await caller.get(path).catch(() => undefined)
    if (answer?.status !== 200) return answer
    // A page of changes may end before its limit.
    const { changes } = answer.json.result
    answered += changes === undefined ? hundredths : changes.length
    return answer
  }

  function chargeNext(): Promise<Answer | undefined> {
    requests += 1
    if (requests % 3 > 0) return charge(paths[(requests % 3) - 1]!, UNIT)
    const rows = LIMITS[(requests / 3) % LIMITS.length]!
    return charge(`/changes?cursor=${cursor}&limit=${rows}`, rows)
  }

  /** The hundredths that are charged at most: the header has whole units that are left. */
  async function mostCharged(): Promise<number> {
    let answer = await charge(latest, UNIT)
    // The counters are still being restored.
    for (let tries = 1; answer?.status === 503 && tries < MAX_TRIES; tries += 1) {
      await wait(Number(answer.headers['retry-after'] ?? 1) * 1_000)
      answer = await charge(latest, UNIT)
    }
    return (quota - Number(answer?.headers['x-quota-remaining'])) * UNIT
  }

  function assertBetween(least: number, most: number): void {
    assert.ok(most >= answered, `at most ${most} hundredths charged of ${answered} answered`)
    assert.ok(least <= sent, `at least ${least} hundredths charged of ${sent} sent`)
  }

  return {
    async prepare() {
      const start = await caller.get(`/changes?from=now&types=positions&ids=${van}`)
      cursor = resultOf(start).cursor
      const rows = Array.from({ length: ROWS }, (_, i) => ({
        ...{ ident: IDENTS.van, time_device: START + i * 1_000, latitude: 41, longitude: 29 },
      }))
      assert.equal((await caller.post(rows)).stored, ROWS)
    },
    async run() {
      for (let count = 0; count < 9; count++) {
        if ((await chargeNext()) === undefined) return
      }
    },
    async assertCharged() {
      const most = await mostCharged()
      assertBetween(most - UNIT + 1, most)
    },
    async assertExactlyCharged(limit) {
      const most = await mostCharged()
      await limit(most / UNIT)
      const page = await caller.get(`/changes?cursor=${cursor}&limit=${ROWS}`)
      // Less than a unit is left. The page has as many positions, or is refused if nothing is left.
      const left = page.status === 400 ? 0 : resultOf(page).changes.length
      assertBetween(most - left, most - left)
      await limit(quota)
      sent += left
      answered += left
    },
    counts: () => ({ sent, answered }),
  }
}
