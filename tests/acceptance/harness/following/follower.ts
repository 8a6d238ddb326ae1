import { setTimeout as wait } from 'node:timers/promises'
import { type Events, openEvents } from '../events.ts'
import type { FleetOrganization } from '../fleet.ts'
import type { Json } from '../fleetgate.ts'
import { PREFIX } from '../organization.ts'
import { applyPage, newReplica, type Replica } from './replica.ts'

/** A way to read `/changes`. */
export type Manner = 'polls' | 'waits' | 'streams'

/** A client that follows `/changes` through kills: it continues from the last cursor that it applied. */
export type Follower = {
  readonly name: string
  readonly replica: Replica
  /** Whether it has applied a page. */
  hasBegun(): boolean
  /** An answer that no outage explains, or a page that breaks the rules. It ends the follower. */
  readonly fault: () => string | undefined
  /** The status of the last answer that was no page. */
  lastRefusal(): string
  /** Begins, or continues after a stop. */
  start(): void
  stop(): void
}

const PACE_MS = 400
const RETRY_MS = 40
/** A stream is quiet while nothing changes. The fleet itself waits for less while trackers send. */
const QUIET_MS = 3_600_000
/** A client whose window is full asks again before its server says so, because windows end with a server. */
const FULL_MS = 1_500

/** `api`: the base address of a running server at this moment. `query`: the parameters other than the cursor. */
export function follow(
  organization: FleetOrganization,
  api: () => string,
  manner: Manner,
  query: string,
): Follower {
  const name = `${manner} ${query}`
  const replica = newReplica()
  let cursor: string | undefined
  let fault: string | undefined
  let refusal = 'not refused'
  /** Changes with each start and stop. */
  let life = 0
  let open: Events | undefined

  function take(page: Json): void {
    applyPage(replica, page, Date.now())
    cursor = page.cursor
  }

  /** Resolves when it is time to ask again. */
  async function ask(mine: number): Promise<void> {
    const held = manner === 'waits' ? '&wait=25' : ''
    const path = `/changes?${query}${cursor === undefined ? '' : `${held}&cursor=${cursor}`}`
    const answer = await organization.get(path).catch(() => undefined)
    if (life !== mine) return
    if (answer?.status !== 200) return pauseAfter(answer?.status, answer?.text)
    const page = answer.json.result
    take(page)
    if (!page.has_more) await wait(PACE_MS)
  }

  async function readStream(mine: number): Promise<void> {
    const headers: Record<string, string> = {
      'x-api-key': organization.key,
      accept: 'text/event-stream',
    }
    if (cursor !== undefined) headers['last-event-id'] = cursor
    const url = `${api()}${PREFIX}/changes?${query}`
    const events = await openEvents(url, headers, QUIET_MS).catch(() => undefined)
    if (events === undefined || 'status' in events) return pauseAfter(events?.status)
    open = events
    while (life === mine) {
      const event = await events.next()
      if (life !== mine || event === null) break
      if (event.event === 'error' && event.data.statusCode === 503) break
      if (event.event !== 'message') throw new Error(`${event.event}: ${event.data.message}`)
      take(event.data)
    }
    events.close()
    await wait(RETRY_MS)
  }

  async function pauseAfter(status: number | undefined, text = ''): Promise<void> {
    refusal = `refused with ${status ?? 'no answer'}`
    const isFault = status !== undefined && status !== 429 && status !== 503
    if (isFault) throw new Error(`${status} ${text}`)
    await wait(status === 429 ? FULL_MS : RETRY_MS)
  }

  async function run(mine: number): Promise<void> {
    try {
      while (life === mine) await (manner === 'streams' ? readStream(mine) : ask(mine))
    } catch (error) {
      if (life === mine) fault = `${name}: ${error}`.slice(0, 400)
    }
  }

  return {
    name,
    replica,
    hasBegun: () => cursor !== undefined,
    fault: () => fault,
    lastRefusal: () => refusal,
    start() {
      life += 1
      void run(life)
    },
    stop() {
      life += 1
      open?.close()
    },
  }
}
