import { feedTokenFinder } from '../../packages/server/src/access/feed-token.ts'
import type { Api } from '../../packages/server/src/api/api.ts'
import { handle as handleRead } from '../../packages/server/src/api/handle.ts'
import { keptBodies } from '../../packages/server/src/api/kept-bodies.ts'
import { oncePerTurn } from '../../packages/server/src/api/once-per-turn.ts'
import { openCatalogue } from '../../packages/server/src/catalogue/catalogue.ts'
import type { Clock } from '../../packages/server/src/domain/clock.ts'
import type { Feed } from '../../packages/server/src/feed/feed.ts'
import { handle as handleFeed } from '../../packages/server/src/feed/handle.ts'
import { openHeldMemory } from '../../packages/server/src/feed/held-memory.ts'
import { openIngest } from '../../packages/server/src/feed/ingest.ts'
import { openReadingTurns } from '../../packages/server/src/feed/reading-turns.ts'
import { openMemoryRealtime } from '../../packages/server/src/realtime/memory/memory-realtime.ts'
import type { Realtime } from '../../packages/server/src/realtime/realtime.ts'
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { trackingRules } from '../../packages/server/src/tracking/rules.ts'
import { openWire, type Wire } from './network.ts'

/** One life of a server, from its start to its end: its real parts, over a data folder. */
export type Deployment = {
  readonly folder: string
  readonly store: Store
  readonly api: Wire
  readonly feed: Wire
  /** What was logged as a failure since it was last asked for. */
  failures(): string[]
  /** Ends what is in flight and closes the files. */
  close(): Promise<void>
}

/** Puts something else in the place of a part: how it is shown that the judges can fail. */
export type Tamper = {
  store?(store: Store): Store
  realtime?(realtime: Realtime, clock: Clock): Realtime
}

const NO_LIMITS = { maxHistoryRows: null, maxHistoryDays: null }
const NOT_DRAINING = () => false
const UNCOUNTED = { request: () => undefined, rows: () => undefined, rejected: () => undefined }

/** As `serve.ts` composes a server of a data folder, but for sockets, metrics and log lines. */
export async function openDeployment(
  folder: string,
  clock: Clock,
  tamper: Tamper,
): Promise<Deployment> {
  const opened = await openSqliteStore(folder)
  const store = tamper.store?.(opened) ?? opened
  const memory = openMemoryRealtime(folder, clock)
  const realtime = tamper.realtime?.(memory, clock) ?? memory
  const catalogue = await openCatalogue(store, realtime.snapshots, clock)
  const catchUp = oncePerTurn(catalogue.catchUp)
  let failures: string[] = []
  const failure = (error: unknown) => {
    failures.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  }
  const api: Api = {
    catalogue,
    catchUp,
    positions: store.positions,
    realtime,
    clock,
    limits: NO_LIMITS,
    secret: await store.secret(),
    log: { request: () => undefined, failure },
    bodies: keptBodies(),
    knownAddresses: null,
    url: '',
  }
  const feed: Feed = {
    ingest: openIngest({
      ...{ catalogue, store, clock },
      tracking: trackingRules(clock),
      refusedIdents: { note: () => undefined },
    }),
    catchUp,
    findToken: feedTokenFinder(catalogue.feedTokens),
    holdMemory: openHeldMemory(),
    inReadingTurn: openReadingTurns(),
    clock,
    log: { failed: () => undefined, rejected: () => undefined, failure },
    metrics: UNCOUNTED,
  }
  const reads = openWire((message, response) => handleRead(api, message, response, NOT_DRAINING))
  const packets = openWire((message, response) =>
    handleFeed(feed, message, response, false, NOT_DRAINING),
  )
  return {
    folder,
    store,
    api: reads,
    feed: packets,
    failures() {
      const told = failures
      failures = []
      return told
    },
    async close() {
      await Promise.all([reads.settled(), packets.settled()])
      await catalogue.close()
      await realtime.close()
      await store.close()
    },
  }
}
