import type { KeyObject } from 'node:crypto'
import type { Directory } from '../cache/directory.ts'
import type { Fleet } from '../cache/fleet.ts'
import type { KeptJoinedChanges } from '../changes/joined-changes.ts'
import type { InTurn } from '../domain/common/slots.ts'
import type { Credential, Disclosed, UsageCount } from '../domain/credential.ts'
import type { KeyOperation } from '../domain/key-scope.ts'
import type { KnownAddresses } from '../domain/position/object-state.ts'
import type { Clock } from '../domain/time/time.ts'
import type { RouteIndexes } from '../journeys/adherence/route-indexes.ts'
import type { Coverage } from '../journeys/days/read-coverage.ts'
import type { Realtime } from '../live/realtime.ts'
import type { ReaderViews } from '../store/change-log.ts'
import type { PositionStore } from '../store/position-store.ts'
import type { RecordStore } from '../store/record-store.ts'
import type { ChangeReaders, PageRoom } from './changes/change-readers.ts'
import type { Documents } from './documentation/document.ts'
import type { KeptBodies } from './exchange/kept-bodies.ts'
import type { RequestLog } from './request-log.ts'

/** The operator's limits for one history request. Null: no limit. */
export type HistoryLimits = {
  readonly maxHistoryRows: number | null
  readonly maxHistoryDays: number | null
}

/** The counted requests of a key in a closed range of days, by day, operation and status. */
export type KeyUsage = {
  ofKey(organization: number, key: number, from: number, to: number): Promise<UsageCount[]>
}

type Owned = Pick<Credential, 'id' | 'organization' | 'granted'>

/** Counts the rows of objects in answers. */
export type Disclosures = {
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
  /** Runs reports whose work grows with the places of an organization. */
  readonly reportLine: InTurn
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
