import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { type Answering, openConnection, TIMEOUT_MS } from '../answering-server.fixture.ts'
import type { Connection } from '../connection.ts'
import {
  ConnectionError,
  InvalidRequestError,
  QuotaExhaustedError,
  RateLimitedError,
  UnauthorizedError,
  UnavailableError,
} from '../errors.ts'
import { passingClock } from '../passing-clock.fixture.ts'
import { requestWindow } from '../window.ts'
import { changes } from './changes.ts'
import type { ChangesOptions } from './changes-options.ts'
import {
  answerCorrectly,
  eventOf,
  type Fault,
  faulty,
  lastEvent,
  PAGES,
  pageNumber,
  refusal,
  streamOf,
  wantedBy,
} from './changes-server.fixture.ts'

const ALL = Array.from({ length: PAGES }, (_, index) => index + 1)

/** Reads pages to the last one. Returns the numbers of each start, and what was asked. */
async function read(
  t: TestContext | undefined,
  answering: Answering,
  options: ChangesOptions = {},
  more: Partial<Connection> = {},
) {
  const asked: string[] = []
  const afters: (() => void)[] = []
  const context = t ?? ({ after: (call: () => void) => afters.push(call) } as never as TestContext)
  const opened = await openConnection(
    context,
    (response, number, message) => {
      const { isStream, query } = wantedBy(message)
      asked.push(`${isStream ? 'stream' : 'page'} after ${query.get('cursor')}`)
      answering(response, number, message)
    },
    more,
  )
  const starts: number[][] = []
  let error: unknown
  try {
    for await (const page of changes(opened.connection, options)) {
      if (page.after === null || starts.length === 0) starts.push([])
      starts.at(-1)!.push(...page.changes.map((change) => ('id' in change ? change.id : 0)))
      if (options.live !== false && page.cursor === `c${PAGES}`) break
    }
  } catch (thrown) {
    error = thrown
  }
  for (const call of afters) call()
  return { starts, error, asked, paused: opened.paused }
}

/** A clock and a window in which time passes. */
function inTime(): Partial<Connection> {
  const clock = passingClock(TIMEOUT_MS)
  return { clock, window: requestWindow(clock) }
}

describe('Changes as a stream', () => {
  it('continue after the last whole event if the stream is cut within one', async (t) => {
    const event = eventOf(pageNumber(3))
    for (const length of [1, 4, event.length - 2, event.length - 1]) {
      const cut = streamOf(2, event.slice(0, length), true)
      const { starts, asked, paused } = await read(t, faulty(cut))
      assert.deepEqual([starts, asked], [[ALL], ['stream after null', 'stream after c2']])
      assert.deepEqual(paused, [2_000], 'the server asked for this pause')
    }
  })

  it('continue if the server ends the stream, and if it does not answer for a while', async (t) => {
    const down: Fault = (response) => response.destroy()
    const { starts, paused } = await read(t, faulty(streamOf(2, '', false), down, down))
    assert.deepEqual([starts, paused], [[ALL], [2_000, 1_000, 2_000]])
  })

  it('do not repeat a page that the server sends again', async (t) => {
    const again = eventOf(pageNumber(2)) + eventOf(pageNumber(1)) + eventOf(pageNumber(3))
    const { starts } = await read(t, faulty(streamOf(2, again, false)))
    assert.deepEqual(starts, [ALL])
  })

  it('start anew after `resync`, which the page says', async (t) => {
    const resync = streamOf(2, lastEvent('resync', 410, 'PUBLIC.410_001'), false)
    const { starts, asked, paused } = await read(t, faulty(resync), { cursor: 'c1' })
    assert.deepEqual(starts, [[2, 3], ALL])
    assert.deepEqual([asked, paused], [['stream after c1', 'stream after null'], []])
  })

  it('pause between starts that all expire before their end', async (t) => {
    const resync = streamOf(1, lastEvent('resync', 410, 'PUBLIC.410_001'), false)
    const { starts, paused } = await read(t, faulty(resync, resync, resync))
    assert.deepEqual(starts, [[1], [1], [1], ALL])
    assert.deepEqual(paused, [4_000, 8_000])
  })

  it('end with the error that the server sends, as it answers it to a request', async (t) => {
    const quota = { 'x-quota-exhausted': '3,8', 'retry-after': '60' }
    const { starts, error, asked } = await read(
      t,
      faulty(
        streamOf(2, lastEvent('error', 400, 'PUBLIC.400_005'), false),
        streamOf(0, lastEvent('error', 400, 'PUBLIC.400_005'), false),
        refusal(400, 'PUBLIC.400_005', quota),
      ),
    )
    assert.deepEqual(starts, [[1, 2]])
    assert.ok(error instanceof QuotaExhaustedError)
    assert.deepEqual(error.exhausted, [3, 8])
    assert.equal(asked.at(-1), 'page after c2')
  })

  it('come as pages behind a proxy that holds streams back', async (t) => {
    const held: Answering = (response, _, message) => {
      const wanted = wantedBy(message)
      if (wanted.isStream) streamOf(0, '', false)(response, wanted)
      else answerCorrectly(response, wanted)
    }
    const { starts, asked } = await read(t, held)
    assert.deepEqual(starts, [ALL])
    assert.deepEqual(
      asked.map((each) => each.split(' ')[0]),
      ['stream', 'page', 'page', 'stream', 'page', 'page', 'page', 'page'],
    )
  })

  it('come as pages if a proxy drops the request for a stream', async (t) => {
    const dropped: Answering = (response, _, message) =>
      answerCorrectly(response, { ...wantedBy(message), isStream: false })
    assert.deepEqual((await read(t, dropped)).starts, [ALL])
  })

  it('close their stream when the reader stops', async (t) => {
    let opened: ServerResponse | undefined
    const { connection } = await openConnection(t, (response, _, message) => {
      opened = response
      answerCorrectly(response, wantedBy(message))
    })
    for await (const { cursor } of changes(connection, {})) if (cursor === 'c2') break
    if (!opened!.destroyed) await once(opened!, 'close')
  })

  it('end with the abort reason of the caller, also while nothing comes', async (t) => {
    const { connection } = await openConnection(t, faulty())
    const leaving = new AbortController()
    const seen: string[] = []
    await assert.rejects(async () => {
      for await (const { cursor } of changes(connection, { signal: leaving.signal })) {
        seen.push(cursor)
        if (seen.length === PAGES) setImmediate(() => leaving.abort(new Error('enough')))
      }
    }, /^Error: enough$/)
    assert.equal(seen.length, PAGES)
  })
})

describe('Changes as pages', () => {
  it('end with the newest change on request', async (t) => {
    const options = { live: false, from: 'history', pageSize: 7, skipExhausted: true } as const
    const paths: string[] = []
    const { starts } = await read(
      t,
      (response, _, message) => {
        paths.push(message.url!.slice('/public/v1'.length))
        answerCorrectly(response, wantedBy(message))
      },
      { ...options, types: ['states', 'objects'], ids: [3, 8], include: ['exact'] },
    )
    assert.deepEqual(starts, [ALL])
    const query = 'types=states%2Cobjects&ids=3%2C8&include=exact&'
    assert.deepEqual(paths.slice(0, 2), [
      `/changes?${query}limit=7&skip_exhausted=true&from=history`,
      '/changes?limit=7&skip_exhausted=true&cursor=c1',
    ])
  })

  it('say that there is nothing new', async (t) => {
    const { connection } = await openConnection(t, faulty())
    const pages = await Array.fromAsync(changes(connection, { cursor: `c${PAGES}`, live: false }))
    assert.deepEqual(
      pages.map(({ after, changes }) => [after, changes]),
      [[`c${PAGES}`, []]],
    )
  })

  it('are asked for again if an old one comes', async (t) => {
    const old: Fault = (response) =>
      response.end(JSON.stringify({ statusCode: 200, result: pageNumber(1) }))
    const { starts, asked } = await read(t, faulty(answerCorrectly, old, old), { live: false })
    assert.deepEqual(starts, [ALL])
    assert.deepEqual(asked.slice(1, 4), Array(3).fill('page after c1'))
  })

  it('start anew after a 410', async (t) => {
    const expired = refusal(410, 'PUBLIC.410_001')
    const { starts } = await read(t, faulty(answerCorrectly, expired), {
      live: false,
      cursor: 'c3',
    })
    assert.deepEqual(starts, [[4], ALL])
  })

  it('are held by the server once nothing is new', async (t) => {
    const held: string[] = []
    const { connection } = await openConnection(t, (response, _, message) => {
      const wanted = wantedBy(message)
      if (wanted.query.get('wait') === '25') held.push(wanted.query.get('cursor')!)
      if (held.length < 2) return answerCorrectly(response, wanted)
      response.end(JSON.stringify({ statusCode: 200, result: pageNumber(PAGES + 1) }))
    })
    const seen: string[] = []
    for await (const { cursor } of changes(connection, { live: 'wait', cursor: 'c4' })) {
      seen.push(cursor)
      if (cursor === `c${PAGES + 1}`) break
    }
    assert.deepEqual(
      [seen, held],
      [
        ['c5', 'c6', 'c7'],
        ['c6', 'c6'],
      ],
    )
  })
})

describe('An iteration of changes', () => {
  const lives = ['stream', 'wait', false] as const

  it('gives up before its first page as any call does', async (t) => {
    for (const live of lives) {
      const failing = [
        [(response: ServerResponse) => response.destroy(), ConnectionError, 4],
        [refusal(500), UnavailableError, 1],
        [refusal(429), RateLimitedError, 1],
        [refusal(503), UnavailableError, 4],
        [refusal(401), UnauthorizedError, 1],
        [refusal(400), InvalidRequestError, 1],
      ] as const
      for (const [fault, Kind, attempts] of failing) {
        const { starts, asked, error } = await read(t, (...args) => fault(args[0], undefined!), {
          live,
        })
        assert.ok(error instanceof Kind, `${live}: ${error}`)
        assert.deepEqual([starts, asked.length], [[], attempts])
      }
    }
  })

  it('goes on for as long as it takes after its first page', async (t) => {
    const first = { stream: streamOf(1, '', true), wait: answerCorrectly }
    const passing = [refusal(500), refusal(429), refusal(502), refusal(503)]
    for (const live of ['stream', 'wait'] as const) {
      const faults = [first[live], ...passing, ...passing]
      assert.deepEqual((await read(t, faulty(...faults), { live }, inTime())).starts, [ALL])
    }
  })

  it('waits for as long as the server asks', async (t) => {
    const faults = [answerCorrectly, refusal(503, 'ERR999', { 'retry-after': '7' })]
    const { paused } = await read(t, faulty(...faults), { live: 'wait' })
    assert.deepEqual(paused, [7_000])
  })

  it('gives each page once and in order, whatever happens to its answers', async () => {
    const anyFault: fc.Arbitrary<Fault> = fc.oneof(
      fc.constantFrom(500, 502, 503, 429).map((status) => refusal(status)),
      fc.constant<Fault>((response) => response.destroy()),
      fc
        .tuple(fc.nat(3), fc.nat(200), fc.boolean())
        .map(([pages, length, isCut]) =>
          streamOf(pages, eventOf(pageNumber(1)).slice(0, length), isCut),
        ),
      fc.nat(3).map((pages) => streamOf(pages, lastEvent('error', 503, 'ERR999'), false)),
      fc.constant<Fault>((response) => response.end('<h1>Under maintenance</h1>')),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyFault, { maxLength: 5 }), async (faults) => {
        const answering = faulty(streamOf(1, '', true), ...faults)
        const { starts, error } = await read(undefined, answering, {}, inTime())
        assert.deepEqual([starts, error], [[ALL], undefined])
      }),
      { numRuns: 30 },
    )
  })
})
