import { oncePerTick } from '../../../packages/server/src/base/domain/common/slots.ts'
import type { Clock } from '../../../packages/server/src/base/domain/time/time.ts'
import {
  openHeldMemory,
  openReadingTurns,
} from '../../../packages/server/src/base/http/request-body.ts'
import { openDirectory } from '../../../packages/server/src/data/cache/directory.ts'
import { openMemoryRealtime } from '../../../packages/server/src/data/live/memory/memory-realtime.ts'
import type { Realtime } from '../../../packages/server/src/data/live/realtime.ts'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import { ChangeWatch } from '../../../packages/server/src/engine/changes/change-watch.ts'
import { KeptJoinedChanges } from '../../../packages/server/src/engine/changes/joined-changes.ts'
import { openRouteIndexes } from '../../../packages/server/src/engine/journeys/adherence/route-indexes.ts'
import { keptDays } from '../../../packages/server/src/engine/journeys/days/kept-days.ts'
import { KeptCoverage } from '../../../packages/server/src/engine/journeys/days/read-coverage.ts'
import { openReportTurns } from '../../../packages/server/src/engine/journeys/row-reader.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { foldRules } from '../../../packages/server/src/engine/tracking/rules/advance.ts'
import { handle as handleRead } from '../../../packages/server/src/faces/api/api-listener.ts'
import { type Feed, handle as handleFeed } from '../../../packages/server/src/faces/feed/handle.ts'
import { openIngest } from '../../../packages/server/src/faces/feed/ingest.ts'
import { feedDenials, feedTokenFinder } from '../../../packages/server/src/faces/feed/token.ts'
import { type Api, keptBodies } from '../../../packages/server/src/read/api.ts'
import { openChangeReaders } from '../../../packages/server/src/read/changes/change-readers.ts'
import { openPageRoom, ROOM_OF_ROWS } from '../../../packages/server/src/read/rows/page-room.ts'
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
const NO_LINKS = { reply: () => undefined }
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
    daysOf: keptDays(),
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
  const reads = openWire((message, response) =>
    handleRead(api, NO_LINKS, message, response, NOT_DRAINING),
  )
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
