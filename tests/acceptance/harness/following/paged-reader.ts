import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, request } from '../client.ts'
import { resultOf } from '../envelope.ts'
import { type Events, openEvents } from '../events.ts'
import type { Json } from '../fleetgate.ts'
import { PREFIX } from '../organization.ts'
import type { Server } from '../server.ts'

/** A client that continues from the cursor of the last page that it has. It takes bytes only while it reads. */
export type PagedReader = {
  /** The positions of its pages, in the order of arrival. */
  readonly positions: Json[]
  /** Asks this server from now on. A stream reads its first page, which comes at once. */
  open(server: Server): Promise<void>
  /** Reads pages until it has this many positions. */
  read(positions: number): Promise<void>
  close(): void
}

/** A reader of a stream. */
export type StreamReader = PagedReader & {
  /** Reads on until the connection ends. Resolves with the number of changes that came whole, and keeps none. */
  drain(): Promise<number>
}

/** The longest wait for a page. */
const PATIENCE_MS = 60_000
const LIMIT = 10_000

/** Reads a stream from a cursor on. */
export function streamReader(key: string, begun: string): StreamReader {
  const positions: Json[] = []
  let cursor = begun
  let events: Events | undefined

  async function next(): Promise<void> {
    const event = await events!.next()
    assert.equal(event?.event, 'message', JSON.stringify(event))
    cursor = event.data.cursor
    for (const { position } of event.data.changes) positions.push(position)
  }

  return {
    positions,
    async open({ api }) {
      events?.close()
      events = undefined
      const url = `${api}${PREFIX}/changes?limit=${LIMIT}`
      const headers = { 'x-api-key': key, accept: 'text/event-stream', 'last-event-id': cursor }
      while (events === undefined) {
        const opened = await openEvents(url, headers, PATIENCE_MS)
        if ('next' in opened) events = opened
        else await untilAdmitted(opened.status, opened.retryAfter)
      }
      await next()
    },
    async read(count) {
      while (positions.length < count) await next()
      assert.equal(positions.length, count)
    },
    async drain() {
      let whole = 0
      for (let event = await events!.next(); event !== null; event = await events!.next())
        whole += event.data.changes.length
      return whole
    },
    close: () => events?.close(),
  }
}

/** Reads by requests that wait for the next page, from a cursor on. One is always under way. */
export function waitingReader(key: string, begun: string): PagedReader {
  const positions: Json[] = []
  let cursor = begun
  let api: string
  let asked: Promise<Json>

  function ask(): void {
    asked = admitted(api, key, `/changes?limit=${LIMIT}&wait=25&cursor=${cursor}`).then(resultOf)
    // The server may be killed meanwhile.
    asked.catch(() => undefined)
  }

  return {
    positions,
    async open(server) {
      api = server.api
      ask()
    },
    async read(count) {
      while (positions.length < count) {
        const page = await asked
        cursor = page.cursor
        for (const { position } of page.changes) positions.push(position)
        ask()
      }
      assert.equal(positions.length, count)
    },
    close() {},
  }
}

/** Asks again after a 429, when the window has room. */
export async function admitted(api: string, key: string, path: string): Promise<Answer> {
  for (;;) {
    const answer = await request(api, PREFIX + path, { headers: { 'x-api-key': key } })
    if (answer.status !== 429) return answer
    await untilAdmitted(answer.status, answer.headers['retry-after'])
  }
}

async function untilAdmitted(status: number, retryAfter: string | undefined): Promise<void> {
  assert.equal(status, 429)
  await wait(Number(retryAfter) * 1_000)
}
