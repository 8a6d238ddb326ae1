import assert from 'node:assert/strict'
import type { Random } from '../../../packages/server/testing/random.ts'
import { type Events, openEvents } from '../harness/events.ts'
import { type ClientCopy, LATER, newClientCopy, type Query } from './client-copy.ts'
import { cutOff, held } from './cut-request.ts'
import { type Age, addressOf, ask, type TrialFleet } from './trial-fleet.ts'

/** A client that keeps a copy by `/changes`. */
export type Follower = {
  readonly query: Query
  readonly copy: ClientCopy
  /** Reads some pages while an operation happens, in one of its ways. */
  follow(happen: () => Promise<void>): Promise<void>
  /** Reads until there is nothing more. */
  catchUp(): Promise<void>
  /** Returns whether there is something to read. Applies nothing. */
  hasNews(): Promise<boolean>
  close(): void
}

/** Whether there are changes after the cursor of a copy, or the cursor is too old. */
type News = 'some' | 'none' | 'expired'

const LIMITS = [1, 2, 3, 7, 50, 1_000, 10_000]
const LONG_LIMITS = [40, 300, 10_000]
const MAX_PAGES = 2_000

export function newFollower(fleet: TrialFleet, query: Query): Follower {
  const { random } = fleet
  const copy = newClientCopy(fleet, query)
  const stream = streamReader(fleet, copy, news)

  async function poll(limits: readonly number[]): Promise<boolean> {
    if (random.chance(0.1)) await cutOff(await addressOf(fleet, copy.pathOf(10)), random)
    return copy.take(await ask(fleet, copy.pathOf(random.pick(limits))), fleet.age)
  }

  async function news(): Promise<News> {
    const { status, json, text } = await ask(fleet, copy.pathOf(1))
    if (status === 410) return 'expired'
    if (status === 200) {
      return json.result.changes.length > 0 || json.result.has_more ? 'some' : 'none'
    }
    assert.ok([404, ...LATER].includes(status), `${status} ${text}`)
    return 'none'
  }

  /** Holds a request during an operation. Cuts it if the operation has no news for it. */
  async function wait(happen: () => Promise<void>): Promise<void> {
    const { age } = fleet
    const request = held(await addressOf(fleet, copy.pathOf(random.pick(LIMITS), '&wait=25')))
    await happen()
    if ((await news()) !== 'some') return request.cut()
    const answer = await request.answer
    if (answer !== undefined) copy.take(answer, age)
  }

  return {
    ...{ query, copy },
    hasNews: async () => (await news()) !== 'none',
    async follow(happen) {
      const way = copy.isOver ? 'poll' : random.pick(query.ways)
      // Two readers of one copy would apply pages in the wrong order.
      if (way !== 'stream') stream.close()
      if (way === 'wait') return wait(happen)
      if (way === 'stream') await stream.open()
      await happen()
      if (copy.isOver || random.chance(0.4)) return
      if (way === 'stream') return stream.read()
      if (random.chance(0.05)) copy.loseSome()
      for (let left = random.whole(1, 4); left > 0 && !copy.isOver; left -= 1) {
        if (!(await poll(LIMITS))) return
      }
    },
    async catchUp() {
      stream.close()
      for (let left = MAX_PAGES; !copy.isOver && (await poll(LONG_LIMITS)); left -= 1) {
        assert.ok(left > 0, 'there is no end of changes')
      }
    },
    close: stream.close,
  }
}

/** Each event of a stream is preceded by a look whether there is one. */
const STREAM_LIMITS = [5, 50, 1_000]
const MAX_EVENTS = 10
const STALL_MS = 30 * 60_000

type StreamReader = {
  /** Opens the stream and takes its first event, unless it is open. */
  open(): Promise<void>
  /** Takes the events that are due, and sometimes closes the stream. */
  read(): Promise<void>
  close(): void
}

function streamReader(
  fleet: TrialFleet,
  copy: ClientCopy,
  news: () => Promise<News>,
): StreamReader {
  const { random, host } = fleet
  let stream: (Events & { opened: Age }) | undefined
  let takenAt = 0

  /** Takes the next event. The stream may end instead. */
  async function take({ next, opened: age }: NonNullable<typeof stream>): Promise<void> {
    const event = await next()
    takenAt = host.now()
    if (event === null) return close()
    const { event: type, id, data } = event
    const text = JSON.stringify(data)
    if (type === 'message') {
      assert.equal(id, data.cursor)
      copy.take({ status: 200, json: { result: data }, text }, age)
      return
    }
    close()
    assert.equal(type, data.statusCode === 410 ? 'resync' : 'error')
    copy.take({ status: data.statusCode, json: data, text }, age)
  }

  function close(): void {
    stream?.close()
    stream = undefined
  }

  return {
    async open() {
      if (stream !== undefined) return
      const target = await addressOf(fleet, copy.pathOf(random.pick(STREAM_LIMITS)))
      const opened = await openEvents(target.url, headersOf(target.headers, copy, random))
      if ('status' in opened) {
        const { status } = opened
        copy.take({ status, json: null, text: `${status} of a stream` }, fleet.age)
        return
      }
      stream = { ...opened, opened: fleet.age }
      await take(stream)
    },
    async read() {
      // A server ends a stream whose client takes nothing for long.
      if (host.now() - takenAt > STALL_MS) close()
      for (let left = MAX_EVENTS; left > 0 && stream !== undefined; left -= 1) {
        const is = copy.isOver ? 'none' : await news()
        // The server gives a stream a new cursor once an hour, and the clock of a trial may leap further.
        if (is === 'expired') return close()
        if (is === 'none') break
        await take(stream)
      }
      if (random.chance(0.3)) close()
    },
    close,
  }
}

function headersOf(
  headers: Record<string, string>,
  { cursor }: ClientCopy,
  random: Random,
): Record<string, string> {
  const last: Record<string, string> =
    cursor !== undefined && random.chance(0.5) ? { 'last-event-id': cursor } : {}
  return { ...headers, ...last, accept: 'text/event-stream' }
}
