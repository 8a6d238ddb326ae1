import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startFleet } from '../harness/fleet.ts'
import type { Organization } from '../harness/organization.ts'

const SPAN_MS = 10_000
const RUN_MS = 25_000

const fleet = await startFleet({ full: 0, plain: 6 })

/** Mulberry32: the same bursts and pauses in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

type Sent = { sentAt: number; answeredAt: number; status: number }

async function burst(organization: Organization, seed: number): Promise<Sent[]> {
  const next = random(seed)
  const endsAt = performance.now() + RUN_MS
  const sent: Promise<Sent>[] = []
  while (performance.now() < endsAt) {
    for (let i = Math.floor(next() * 8); i >= 0; i--) {
      const sentAt = performance.now()
      sent.push(
        organization
          .get('/geofences')
          .then(({ status }) => ({ sentAt, answeredAt: performance.now(), status })),
      )
    }
    await wait(next() ** 3 * 3000)
  }
  return Promise.all(sent)
}

describe('Limits: rate window, in bursts', () => {
  it('never admits more than 10 in any 10 seconds, and never refuses without need', async () => {
    const organizations = Array.from({ length: 6 }, () => fleet.take())
    const runs = await Promise.all(organizations.map((each, i) => burst(each, i + 1)))
    for (const run of runs) {
      const admitted = run.filter(({ status }) => status === 200)
      assert.ok(run.every(({ status }) => status === 200 || status === 429))
      assert.ok(run.length > admitted.length, 'the bursts never reached the limit')
      // Each request was admitted between its sending and its answer. Eleven within 10 s are certain if the last
      // was answered less than 10 s after the first was sent.
      const sent = admitted.map(({ sentAt }) => sentAt).toSorted((a, b) => a - b)
      const answered = admitted.map(({ answeredAt }) => answeredAt).toSorted((a, b) => a - b)
      for (let i = 0; i + 10 < admitted.length; i++) {
        assert.ok(answered[i + 10]! - sent[i]! >= SPAN_MS, `11 from ${sent[i]} on`)
      }
      // A refusal is right if ten requests could have been admitted in the 10 s before it.
      for (const refused of run.filter(({ status }) => status === 429)) {
        const before = admitted.filter(
          (one) => one.answeredAt > refused.sentAt - SPAN_MS && one.sentAt < refused.answeredAt,
        )
        assert.ok(before.length >= 10, `refused after ${before.length}`)
      }
    }
  })
})
