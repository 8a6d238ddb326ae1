import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Clock } from '../domain/clock.ts'
import type { KnownAddresses } from '../domain/known-addresses.ts'
import type { Realtime } from '../realtime/realtime.ts'
import type { PositionStore } from '../store/store.ts'
import type { KeptBodies } from './kept-bodies.ts'
import type { RequestLog } from './request-log.ts'

/** What the operator grants one history request; null is without end. */
export type HistoryLimits = {
  readonly maxHistoryRows: number | null
  readonly maxHistoryDays: number | null
}

/** All that the public API stands on. */
export type Api = {
  readonly catalogue: Catalogue
  /** The catalogue's own, made once for the requests that arrive together. */
  readonly catchUp: Catalogue['catchUp']
  readonly positions: PositionStore
  readonly realtime: Realtime
  readonly clock: Clock
  readonly limits: HistoryLimits
  /** The address of the API without its prefix, such as `https://example.com`. Empty where it is not known. */
  readonly url: string
  /** What cursors are sealed with. */
  readonly secret: Buffer
  readonly log: RequestLog
  readonly bodies: KeptBodies
  /** Of positions that brought none; null where addresses come from packets alone. */
  readonly knownAddresses: KnownAddresses | null
}
