import type { AddressOf } from '../api/client-address.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Clock } from '../domain/clock.ts'
import type { OperatorCredential } from '../domain/operator.ts'
import type { Tracking } from '../domain/track.ts'
import type { Realtime } from '../realtime/realtime.ts'
import type { Store } from '../store/store.ts'
import type { UsageCounts } from '../usage/usage-counts.ts'
import type { InTurn } from './in-turn.ts'
import type { Live } from './live.ts'
import type { SignIns } from './sign-ins.ts'

/** What the server was told of its surroundings. */
export type About = {
  version: string
  /** Where others reach the API and the feed; null where this deployment has them elsewhere. */
  apiUrl: string | null
  feedUrl: string | null
  /** Where the operator's browser reaches the console, where that is not the listener itself. */
  consoleUrl: string | null
  /** A template of raster tiles with {z}, {x} and {y}; null: the map that ships with the console. */
  tilesUrl: string | null
  tilesAttribution: string | null
}

/** All that the operator's API stands on. */
export type AdminApi = {
  store: Store
  /**
   * The same store, whose changes are entered in the audit log as this actor's. Entries about signing in name
   * the address.
   */
  storeAs(actor: string, address: string): Store
  catalogue: Catalogue
  realtime: Realtime
  tracking: Tracking
  /** What this process has counted and not written yet. */
  usage: UsageCounts
  live: Live
  signIns: SignIns
  addressOf: AddressOf
  /** Of an organization: for changes that depend on what stands. */
  inTurn: InTurn
  about: About
  clock: Clock
  failed(error: unknown): void
}

/** Who asks: by a session of a browser, or by a token. */
export type Caller = { credential: OperatorCredential; actor: string }

/** One request to the operator's API, whose path is known. */
export type Call = {
  api: AdminApi
  /** The store, in the name of who asks; of an open operation nobody's. */
  store: Store
  caller: Caller | null
  /** Of the path, in braces: whole numbers. */
  params: Readonly<Record<string, number>>
  query: URLSearchParams
  /** Of a JSON body; an empty object where there is none. */
  body: Readonly<Record<string, unknown>>
  /** The body as it was sent, of an operation that takes files. */
  file: Buffer
  contentType: string
  address: string
  /** The secret by which a browser is known that has signed in before. */
  device: string | null
  userAgent: string
  now: number
}

type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>

/** What is answered besides a JSON value. */
export class Reply {
  readonly body: unknown
  readonly headers: ReplyHeaders

  constructor(body: unknown, headers: ReplyHeaders) {
    this.body = body
    this.headers = headers
  }
}
