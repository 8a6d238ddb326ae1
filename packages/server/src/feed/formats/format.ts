import type { IncomingHttpHeaders } from 'node:http'
import type { FeedClient } from '../../domain/credential.ts'
import type { Row } from '../packet.ts'
import type { FeedRefusal } from '../refusal.ts'

/** The parts of a request that a format reads. */
export type FeedRequest = {
  /** The raw query, without `?`. */
  query: string
  headers: IncomingHttpHeaders
  /** The unpacked body; empty if there is none. */
  body: Buffer
  /** The app that sends it, which may have units of its own. */
  client: FeedClient | null
  /** Whether the packets get a `sender`, because a rule may decide whose they are. */
  isRouted?: boolean
}

/** How one kind of sender writes positions. Nothing is an error here; wrong input is refused. */
export type Format = {
  /** The format's name in the path and in metrics. */
  readonly name: string
  readonly methods: readonly string[]
  /** Limits of a body, packed and unpacked. */
  readonly maxBytes: number
  /**
   * Reads a request into rows. `now`: when it was received, milliseconds since the epoch. Returns a
   * promise for a long body, so that others get a turn before it is read to its end.
   */
  read(request: FeedRequest, now: number): Row[] | FeedRefusal | Promise<Row[] | FeedRefusal>
  /** The reply that the sender expects for its rows. Null if one status is enough. */
  readonly answer: 'rows' | { type: string; body: string } | null
}
