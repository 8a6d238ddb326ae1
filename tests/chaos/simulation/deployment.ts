import { type Api, keptBodies } from '../../../packages/server/src/api/api.ts'
import { openChangeReaders } from '../../../packages/server/src/api/changes/change-readers.ts'
import { handle as handleRead } from '../../../packages/server/src/api/listener.ts'
import { openPageRoom, ROOM_OF_ROWS } from '../../../packages/server/src/api/rows/page-room.ts'
import { openDirectory } from '../../../packages/server/src/cache/directory.ts'
import { ChangeWatch } from '../../../packages/server/src/changes/change-watch.ts'
import { KeptJoinedChanges } from '../../../packages/server/src/changes/joined-changes.ts'
import { oncePerTick } from '../../../packages/server/src/domain/common/slots.ts'
import type { Clock } from '../../../packages/server/src/domain/time/time.ts'
import { type Feed, handle as handleFeed } from '../../../packages/server/src/feed/handle.ts'
import { openIngest } from '../../../packages/server/src/feed/ingest.ts'
import { feedDenials, feedTokenFinder } from '../../../packages/server/src/feed/token.ts'
import { openHeldMemory, openReadingTurns } from '../../../packages/server/src/http/request-body.ts'
import { openRouteIndexes } from '../../../packages/server/src/journeys/adherence/route-indexes.ts'
import { KeptCoverage } from '../../../packages/server/src/journeys/days/read-coverage.ts'
import { openReportTurns } from '../../../packages/server/src/journeys/row-reader.ts'
import { openMemoryRealtime } from '../../../packages/server/src/live/memory/memory-realtime.ts'
import type { Realtime } from '../../../packages/server/src/live/realtime.ts'
import { openSqliteStore } from '../../../packages/server/src/sqlite/open.ts'
import type { Store } from '../../../packages/server/src/store/store.ts'
import { foldRules } from '../../../packages/server/src/tracking/rules/advance.ts'
import { openWire, type Wire } from './network.ts'

/** One life of a server, from start to end: its real parts on a data folder. */
export type Deployment = {
  readonly folder: string
  readonly store: Store
  readonly api: Wire
  readonly feed: Wire
  /** The logged failures since the last call. */
  failures(): string[]
  /** Ends pending work and closes the files. */
  close(): Promise<void>
}

/** Replaces a part by a broken one, to show that the judges can fail. */
export type Tamper = {
  store?(store: Store): Store
  realtime?(realtime: Realtime, clock: Clock): Realtime
}

const NO_LIMITS = { maxHistoryRows: null, maxHistoryDays: null }
const NOT_DRAINING = () => false
const NO_STREAMS = 0
const UNCOUNTED_STREAMS = { opened: () => undefined, sent: () => undefined, ended: () => undefined }
const UNCOUNTED = {
  request: () => undefined,
  rows: () => undefined,
  rejected: () => undefined,
  unread: () => undefined,
}

/** Composes the parts as `serve.ts` does for a data folder, without sockets, metrics and log lines. */
export async function openDeployment(
  folder: string,
  clock: Clock,
  tamper: Tamper,
): Promise<Deployment> {
  const opened = await openSqliteStore(folder)
  const store = tamper.store?.(opened) ?? opened
  const memory = openMemoryRealtime(folder, clock)
  const realtime = tamper.realtime?.(memory, clock) ?? memory
  const directory = await openDirectory(store, realtime.snapshots, clock)
  const catchUp = oncePerTick(directory.catchUp)
  let failures: string[] = []
  const failure = (error: unknown) => {
    failures.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  }
  const parts = { directory, catchUp, clock }
  const api: Api = {
    ...openChangeReaders(new ChangeWatch(store, failure), parts, NO_STREAMS, UNCOUNTED_STREAMS),
    directory,
    catchUp,
    positions: store.positions,
    views: store.changeLog,
    joinedChanges: new KeptJoinedChanges(),
    records: store.records,
    coverage: new KeptCoverage(store, clock),
    inReportTurn: openReportTurns(),
    routeIndexes: openRouteIndexes(),
    realtime,
    clock,
    testFleet: { open: async () => null },
    historyLimits: NO_LIMITS,
    changesDays: 30,
    usage: { ofKey: async () => [] },
    disclosures: { answer: () => undefined, rows: () => undefined },
    secret: await store.secret(),
    log: { request: () => undefined, failure },
    bodies: keptBodies(),
    rowRoom: openPageRoom(ROOM_OF_ROWS),
    knownAddresses: null,
    url: '',
    documents: () => new Map(),
  }
  const feed: Feed = {
    ingest: openIngest({
      ...{ directory, store, clock },
      rules: foldRules(clock),
      refusedIdents: { note: () => undefined },
      waitingIdents: { note: () => undefined, matched: () => undefined },
    }),
    catchUp,
    findToken: feedTokenFinder(directory.feedTokens),
    denialOf: feedDenials(directory.feedTokens.known),
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
      const reported = failures
      failures = []
      return reported
    },
    async close() {
      await Promise.all([reads.settled(), packets.settled()])
      await directory.close()
      await realtime.close()
      await store.close()
    },
  }
}
