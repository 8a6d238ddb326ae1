import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type TurnedClock, turnedClock } from './turned-clock.fixture.ts'
import { type ReportedWindow, type RequestWindow, reportedWindow, requestWindow } from './window.ts'

const LIMIT = 10
const SPAN_MS = 10_000

/** The server's own rule. */
function server(clock: TurnedClock) {
  const admittedAt: number[] = []
  return {
    /** The reported window; null if the request is refused. */
    admit(): ReportedWindow | null {
      const now = clock.now()
      const inSpan = admittedAt.filter((at) => at > now - SPAN_MS)
      if (inSpan.length >= LIMIT) return null
      admittedAt.push(now)
      return { limit: LIMIT, spanMs: SPAN_MS, remaining: LIMIT - inSpan.length - 1 }
    },
  }
}

/** Sends one request with these travel times. */
async function send(
  clock: TurnedClock,
  window: RequestWindow,
  admit: () => ReportedWindow | null,
  [there, back]: [number, number],
): Promise<boolean> {
  const slot = await window.slot()
  return new Promise((resolve) => {
    clock.after(there, () => {
      const state = admit()
      clock.after(back, () => {
        slot.answered(state ?? undefined)
        resolve(state !== null)
      })
    })
  })
}

const way = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 400 }))

describe('The window of a client', () => {
  it('never causes a refusal, with any travel times of requests and answers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(way, { minLength: 1, maxLength: 60 }), async (ways) => {
        const clock = turnedClock()
        const window = requestWindow(clock)
        const { admit } = server(clock)
        const sent = ways.map((each) => send(clock, window, admit, each))
        await clock.runOut()
        assert.deepEqual(
          await Promise.all(sent),
          ways.map(() => true),
        )
      }),
    )
  })

  it('takes little longer than the windows and travel times: it yields at times', async () => {
    const clock = turnedClock()
    const window = requestWindow(clock)
    const { admit } = server(clock)
    const sent = Array.from({ length: 1_000 }, () => send(clock, window, admit, [2, 3]))
    await clock.runOut()
    assert.ok((await Promise.all(sent)).every(Boolean))
    const least = 99 * SPAN_MS
    assert.ok(clock.now() < 1.03 * least, `${clock.now()} ms`)
  })

  it('leaves a place free for others once in a window, however many requests wait', async () => {
    const clock = turnedClock()
    const window = requestWindow(clock)
    const { admit } = server(clock)
    const sent = Array.from({ length: 100 }, () => send(clock, window, admit, [2, 3]))
    let found = 0
    // Another program sends in the second after a place has become free.
    for (let at = 10_900; at < 90_000; at += SPAN_MS) {
      clock.after(at, () => {
        if (admit() !== null) found += 1
      })
    }
    await clock.runOut()
    await Promise.all(sent)
    assert.ok(found >= 6, `${found} of 8`)
  })

  it('counts requests of others as soon as an answer reports them', async () => {
    const clock = turnedClock()
    const window = requestWindow(clock)
    const { admit } = server(clock)
    for (let i = 0; i < 7; i++) admit()
    const first = send(clock, window, admit, [1, 1])
    await clock.runOut()
    assert.equal(await first, true)
    const rest = Array.from({ length: 9 }, () => send(clock, window, admit, [1, 1]))
    await clock.runOut()
    assert.ok((await Promise.all(rest)).every(Boolean))
  })

  it('sends the refused request first, when the server said that there is room', async () => {
    const clock = turnedClock()
    const window = requestWindow(clock)
    const order: [string, number][] = []
    const refused = await window.slot()
    refused.refused(3_000)
    void window.slot().then(() => order.push(['later', clock.now()]))
    void window.slot(undefined, true).then((slot) => {
      order.push(['again', clock.now()])
      clock.after(1, () => slot.answered({ limit: LIMIT, spanMs: SPAN_MS, remaining: 0 }))
    })
    await clock.runOut()
    assert.deepEqual(order, [
      ['again', 3_000],
      ['later', 13_006],
    ])
  })

  it('sends nothing while it is paused', async () => {
    const clock = turnedClock()
    const window = requestWindow(clock)
    window.hold(3_000)
    let at: number | undefined
    void window.slot().then(() => {
      at = clock.now()
    })
    await clock.runOut()
    assert.equal(at, 3_000)
  })

  it('releases callers that stop waiting, and keeps the order of the others', async () => {
    const clock = turnedClock()
    const window = requestWindow(clock)
    const slots = await Promise.all(Array.from({ length: LIMIT }, () => window.slot()))
    const leaving = new AbortController()
    const order: string[] = []
    const left = window.slot(leaving.signal)
    void window.slot().then(() => order.push('second'))
    void window.slot().then(() => order.push('third'))
    leaving.abort(new Error('enough'))
    await assert.rejects(left, /enough/)
    await assert.rejects(window.slot(AbortSignal.abort(new Error('never'))), /never/)
    for (const slot of slots) slot.answered()
    await clock.runOut()
    assert.deepEqual(order, ['second', 'third'])
  })

  it("follows the server's report of its window", async () => {
    const clock = turnedClock()
    const window = requestWindow(clock)
    const first = await window.slot()
    first.answered({ limit: 2, spanMs: 1_000, remaining: 1 })
    const times: number[] = []
    for (let i = 0; i < 4; i++) {
      void window.slot().then((slot) => {
        times.push(clock.now())
        slot.answered({ limit: 2, spanMs: 1_000, remaining: i % 2 })
      })
    }
    await clock.runOut()
    assert.deepEqual(times, [0, 1_005, 1_005, 2_010])
  })
})

describe('The reported window of an answer', () => {
  it('is read from RateLimit-Policy and RateLimit', () => {
    const headers = new Headers({
      'RateLimit-Policy': '"default";q=10;w=10',
      RateLimit: '"default";r=7;t=4',
    })
    assert.deepEqual(reportedWindow(headers), { limit: 10, spanMs: 10_000, remaining: 7 })
  })

  it('is undefined if either is missing', () => {
    assert.equal(reportedWindow(new Headers({ RateLimit: '"default";r=7;t=4' })), undefined)
    assert.equal(
      reportedWindow(new Headers({ 'RateLimit-Policy': '"default";q=10;w=10' })),
      undefined,
    )
  })
})
