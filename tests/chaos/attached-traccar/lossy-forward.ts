import { setTimeout as pause } from 'node:timers/promises'
import { forwardedOf, SECOND_MS, type Sent } from './tracker.ts'

/** Forwards positions to the feed as Traccar does, but loses, delays and repeats some. `mostMs`: the longest delay. */
export function openLossyForward(url: string, token: string, mostMs: number) {
  const sending = new Set<Promise<void>>()
  const tally = { forwarded: 0, dropped: 0, late: 0, repeated: 0, failed: 0 }
  let isCut = false

  async function post(sent: Sent, seconds: number): Promise<void> {
    await pause(Math.min(Math.random() * seconds * SECOND_MS, mostMs))
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-feed-token': token },
      body: JSON.stringify(forwardedOf(sent)),
    })
    await response.text()
    if (response.ok) tally.forwarded += 1
    else tally.failed += 1
  }

  function send(sent: Sent, seconds: number): void {
    const settled = post(sent, seconds).catch(() => {
      tally.failed += 1
    })
    sending.add(settled)
    void settled.then(() => sending.delete(settled))
  }

  return {
    tally,
    /** From now on loses all, or some as before. */
    cut(is: boolean): void {
      isCut = is
    },
    /** False: the position is lost. */
    pass(sent: Sent): boolean {
      const luck = Math.random()
      if (isCut || luck < 0.25) {
        tally.dropped += 1
        return false
      }
      const isLate = luck < 0.4
      send(sent, isLate ? 120 : 0)
      tally.late += Number(isLate)
      if (luck < 0.95) return true
      send(sent, 300)
      tally.repeated += 1
      return true
    },
    drained: async () => void (await Promise.all(sending)),
  }
}
