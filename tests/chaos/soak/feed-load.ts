import { setTimeout as wait } from 'node:timers/promises'
import type { Install } from '../clients/install.ts'
import { count, type Faults } from './faults.ts'

const SINGLES_EVERY_MS = 50
const BATCHES_EVERY_MS = 500
const BATCH = 50
/** Between the positions of one object. */
const STEP_MS = 1000

/** Sends positions of a few organizations, singly and in batches, until it is stopped. */
export async function feedOn(
  feed: string,
  { others, feedTokens }: Install,
  faults: Faults,
  signal: AbortSignal,
): Promise<void> {
  // Each a second after the previous one, from a day ago on: no time repeats.
  const start = Date.now() - 86_400_000
  const moments = feedTokens.map(() => start)
  let turn = 0

  function nextRow(sender: number) {
    const time = moments[sender]!
    moments[sender] = time + STEP_MS
    const turned = time / 600_000
    return {
      ident: others[sender]!.ident,
      time_device: time,
      latitude: Number((41 + Math.sin(turned) / 20).toFixed(7)),
      longitude: Number((2 + Math.cos(turned) / 20).toFixed(7)),
      speed: 50,
    }
  }

  async function send(rows: number): Promise<void> {
    const sender = turn++ % feedTokens.length
    const body = JSON.stringify(Array.from({ length: rows }, () => nextRow(sender)))
    const headers = { 'x-feed-token': feedTokens[sender]! }
    const fault = await fetch(`${feed}/feed/v1/positions`, { method: 'POST', headers, body }).then(
      async (answer) => {
        const text = await answer.text()
        return text.includes(`"stored":${rows},`) ? undefined : `${answer.status} ${text}`
      },
      (error) => `${error}`,
    )
    count(faults, `positions, ${rows}`, fault)
  }

  async function repeat(rows: number, everyMs: number): Promise<void> {
    while (!signal.aborted) {
      const next = wait(everyMs)
      await send(rows)
      await next
    }
  }

  await Promise.all([repeat(1, SINGLES_EVERY_MS), repeat(BATCH, BATCHES_EVERY_MS)])
}
