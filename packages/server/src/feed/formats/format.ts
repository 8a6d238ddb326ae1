import type { IncomingHttpHeaders } from 'node:http'
import { bareFix } from '../../domain/fix.ts'
import type { DeviceTime, Packet, Row } from '../packet.ts'
import type { FeedRefusal } from '../refusal.ts'

/** What of a request a format reads. */
export type FeedRequest = {
  /** Behind the `?` of the target, as it came. */
  query: string
  headers: IncomingHttpHeaders
  /** Unpacked; empty where there is none. */
  body: Buffer
}

/** The way in which one kind of sender writes positions. Knows no wrong input, only refused one. */
export type Format = {
  /** As the path and the metrics name it. */
  readonly name: string
  readonly methods: readonly string[]
  /** Of a body, packed and unpacked. */
  readonly maxBytes: number
  /**
   * `now`: when the request was received, milliseconds since the epoch. A promise where the body is so
   * long that others have to get a turn before it is read to its end.
   */
  read(request: FeedRequest, now: number): Row[] | FeedRefusal | Promise<Row[] | FeedRefusal>
  /** What the sender expects to be told of each row; null where one status says all. */
  readonly answer: 'rows' | { type: string; body: string } | null
}

/**
 * What a device says that is alive but has no position: as receivers themselves report it, 0,0. It
 * is taken for a sign of life and rejected as `no_fix`, while a fault would be the sender's.
 */
export function packetWithoutFix(
  ident: string,
  { timeDevice, isLocalTime }: DeviceTime,
  timeServer: number,
): Packet {
  return { ident, fix: bareFix(timeDevice, timeServer, 0, 0), isLocalTime }
}
