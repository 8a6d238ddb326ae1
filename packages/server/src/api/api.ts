import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Clock } from '../domain/clock.ts'
import type { KnownAddresses } from '../domain/known-addresses.ts'
import type { Realtime } from '../realtime/realtime.ts'
import type { PositionStore } from '../store/store.ts'
import type { KeptBodies } from './kept-bodies.ts'
import type { RequestLog } from './request-log.ts'

/** The operator's limits for one history request. Null: no limit. */
export type HistoryLimits = {
  readonly maxHistoryRows: number | null
  readonly maxHistoryDays: number | null
}

/** The parts of the public API. */
export type Api = {
  readonly catalogue: Catalogue
  /** The catalogue's function, run once for requests that arrive together. */
  readonly catchUp: Catalogue['catchUp']
  readonly positions: PositionStore
  readonly realtime: Realtime
  readonly clock: Clock
  readonly limits: HistoryLimits
  /** The API's address without its prefix, such as `https://example.com`. Empty if unknown. */
  readonly url: string
  /** Seals cursors. */
  readonly secret: Buffer
  readonly log: RequestLog
  readonly bodies: KeptBodies
  /** Finds addresses of positions that brought none. Null if only packets bring addresses. */
  readonly knownAddresses: KnownAddresses | null
}
