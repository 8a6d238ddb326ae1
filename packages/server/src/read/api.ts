import type { KeyObject } from 'node:crypto'
import { ownBytes } from '../base/domain/common/packed-numbers.ts'
import type { InTurn } from '../base/domain/common/slots.ts'
import type { Credential, UsageCount } from '../base/domain/credential.ts'
import type { Disclosed } from '../base/domain/disclosure.ts'
import type { KeyOperation } from '../base/domain/key-scope.ts'
import type { KnownAddresses } from '../base/domain/position/object-state.ts'
import type { Clock } from '../base/domain/time/time.ts'
import type { Directory } from '../data/cache/directory.ts'
import type { Fleet } from '../data/cache/fleet-cache.ts'
import type { CachedObject } from '../data/cache/fleet-objects.ts'
import type { Realtime } from '../data/live/realtime.ts'
import type { KeptJoinedChanges } from '../engine/changes/joined-changes.ts'
import type { RouteIndexes } from '../engine/journeys/adherence/route-indexes.ts'
import type { ReadWholeDays } from '../engine/journeys/days/kept-days.ts'
import type { Coverage } from '../engine/journeys/days/read-coverage.ts'
import type { ReaderViews } from '../engine/store/change-log.ts'
import type { PositionStore } from '../engine/store/position-store.ts'
import type { RecordStore } from '../engine/store/record-store.ts'
import type { ChangeReaders } from './changes/change-readers.ts'
import type { Documents } from './exchange/document.ts'
import type { RequestLog } from './request-log.ts'
import type { PageRoom } from './rows/page-room.ts'

/** The operator's limits for one history request. Null: no limit. */
export type HistoryLimits = {
  readonly maxHistoryRows: number | null
  readonly maxHistoryDays: number | null
}

/** The counted requests of a key in a closed range of days, by day, operation and status. */
type KeyUsage = {
  ofKey(organization: number, key: number, from: number, to: number): Promise<UsageCount[]>
}

type Owned = Pick<Credential, 'id' | 'organization' | 'disclosee'>

/** Counts the rows of objects in answers. */
type Disclosures = {
  answer(key: Owned, data: KeyOperation, disclosed: Disclosed): void
  /** Adds rows of an answer that is counted already. */
  rows(key: Owned, data: KeyOperation, object: number, rows: number): void
}

/** The fleet that a key opens, and the parts that answer its requests. */
export type Opened = {
  readonly api: Api
  readonly fleet: Fleet
  /** Scenario of a test key: no request is answered, as if a part was down. */
  readonly isDown: boolean
  /** Scenario of a test key: an answer ends after 1 KiB. */
  readonly isCut: boolean
}

/** The simulated fleet, which test keys open instead of the data of their organization. */
export type TestFleet = {
  /** Null: the scenario of the key is that it has expired. `gone`: aborts when nobody waits for the answer any more. */
  open(key: Credential, gone: AbortSignal): Promise<Opened | null>
}

/** The parts of the public API. */
export type Api = ChangeReaders & {
  readonly directory: Directory
  /** `catchUp` of the directory, run once for requests that arrive together. */
  readonly catchUp: Directory['catchUp']
  readonly positions: Pick<PositionStore, 'history' | 'count'>
  readonly views: ReaderViews
  readonly joinedChanges: KeptJoinedChanges
  readonly records: Pick<RecordStore, 'page' | 'progress' | 'want'>
  readonly coverage: Coverage
  readonly daysOf: ReadWholeDays
  /** Runs days, adherence and attributes of records, some at a time and organizations in turn. */
  readonly inReportTurn: InTurn
  readonly routeIndexes: RouteIndexes
  readonly testFleet: TestFleet
  readonly realtime: Realtime
  readonly clock: Clock
  readonly historyLimits: HistoryLimits
  /** Days for which the change log is kept. */
  readonly changesDays: number
  readonly usage: KeyUsage
  readonly disclosures: Disclosures
  /** The API's address without its prefix, such as `https://example.com`. Empty if unknown. */
  readonly url: string
  /** The description and the reference page. */
  readonly documents: () => Documents
  /** Seals cursors. */
  readonly secret: KeyObject
  readonly log: RequestLog
  readonly bodies: KeptBodies
  /** For pages of records and of days. */
  readonly rowRoom: PageRoom
  /** Finds addresses of positions that brought none. Null if only packets bring addresses. */
  readonly knownAddresses: KnownAddresses | null
}

/** Bodies that many requests ask for unchanged. Each server has its own. */
export type KeptBodies = {
  /** By the listing shown. */
  readonly lists: BodyCache<object>
  /** By the objects shown, in the states shown. */
  readonly latest: BodyCache<readonly CachedObject[]>
}

const MAX_BYTES = 64 * 1024 * 1024

export function keptBodies(): KeptBodies {
  return { lists: bodyCache(MAX_BYTES), latest: bodyCache(MAX_BYTES) }
}

/**
 * A cache of bodies that are expensive to make. Drops the least recently used ones beyond a number of
 * bytes.
 */
export type BodyCache<Key extends object> = {
  get(key: Key): Buffer | undefined
  set(key: Key, body: Buffer): void
  /** Drops a body that nobody will ask for again. */
  delete(key: Key): void
}

export function bodyCache<Key extends object>(maximumBytes: number): BodyCache<Key> {
  const bodies = new Map<Key, Buffer>()
  let bytes = 0

  function drop(key: Key): void {
    bytes -= bodies.get(key)?.length ?? 0
    bodies.delete(key)
  }

  return {
    get(key) {
      const body = bodies.get(key)
      if (body !== undefined) {
        // A map keeps the order of insertion, so insert a used body again.
        bodies.delete(key)
        bodies.set(key, body)
      }
      return body
    },
    set(key, body) {
      if (body.length > maximumBytes || bodies.has(key)) return
      bodies.set(key, ownBytes(body))
      bytes += body.length
      for (const oldest of bodies.keys()) {
        if (bytes <= maximumBytes) break
        drop(oldest)
      }
    },
    delete: drop,
  }
}
