import type { IncomingHttpHeaders } from 'node:http'
import { parseExactly } from '../../../base/domain/common/exact-json.ts'
import { parseJson as parseInSteps } from '../../../base/domain/common/plain-json.ts'
import { runInTurns } from '../../../base/domain/common/slots.ts'
import { runAtOnce, type Steps } from '../../../base/domain/common/steps.ts'
import type { FeedClient } from '../../../base/domain/credential.ts'
import {
  type FeedRefusal,
  MAX_ATTRIBUTES,
  MAX_ROWS,
  tooManyAttributes,
  tooManyRows,
  unreadable,
} from '../feed-refusal.ts'
import type { Answer } from '../feed-reply.ts'
import { attributesIn, type Row } from '../packet.ts'

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
  /** The reply that the sender expects for its rows. */
  readonly answer: Answer
}

/** The value of a JSON text as `{ value }`, or the reason why it cannot be parsed. */
export function parseJson(text: string): { value: unknown } | FeedRefusal {
  try {
    return { value: parseExactly(text) }
  } catch (error) {
    return notJson(text, error)
  }
}

function notJson(text: string, error: unknown): FeedRefusal {
  if (text === '') return unreadable('The body is empty: it must be JSON')
  return unreadable(`The body must be JSON: ${(error as Error).message.slice(0, 200)}`)
}

/** The rows of a JSON body of many positions. A long one is read in turns with others. */
export function readBatch<Item>(
  body: Buffer,
  itemsIn: (value: unknown) => readonly Item[] | FeedRefusal,
  rowOf: (item: Item) => Row,
): Row[] | FeedRefusal | Promise<Row[] | FeedRefusal> {
  const steps = readItems(body.toString(), itemsIn, rowOf)
  return body.length <= SLICE_BYTES ? runAtOnce(steps) : runInTurns(steps)
}

function* readItems<Item>(
  text: string,
  itemsIn: (value: unknown) => readonly Item[] | FeedRefusal,
  rowOf: (item: Item) => Row,
): Steps<Row[] | FeedRefusal> {
  let value: unknown
  try {
    value = yield* parseInSteps(text)
  } catch (error) {
    return notJson(text, error)
  }
  const items = itemsIn(value)
  if ('status' in items) return items
  if (items.length > MAX_ROWS) return tooManyRows
  const rows: Row[] = []
  let attributes = 0
  for (const item of items) {
    rows.push(rowOf(item))
    attributes += attributesIn(rows, rows.length - 1)
    if (attributes > MAX_ATTRIBUTES) return tooManyAttributes
    yield
  }
  return rows
}

/** The position of the first byte that is not white space, or -1. */
export function firstByteAt(body: Buffer): number {
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at
  }
  return -1
}

/**
 * The part of a body that is parsed before others get a turn. The worst JSON of this length takes 6 ms, and 20 ms with an
 * integer beyond 2^53; 8 MiB would take seconds.
 */
export const SLICE_BYTES = 64 * 1024

const QUOTE = 0x22

const COMMA = 0x2c

const LEFT_BRACKET = 0x5b

const BACKSLASH = 0x5c

const RIGHT_BRACKET = 0x5d

const LEFT_BRACE = 0x7b

const RIGHT_BRACE = 0x7d

/**
 * The end of a slice of the rows in a JSON array: the comma after the first row that ends after
 * `SLICE_BYTES`, or the end of the body if that is near. `from`: the beginning of a row. Undefined if a
 * row is longer than a slice.
 */
export function arraySliceEnd(body: Buffer, from: number): number | undefined {
  const least = from + SLICE_BYTES
  if (body.length <= least) return body.length
  const most = Math.min(body.length, least + SLICE_BYTES)
  let depth = 0
  let isText = false
  for (let at = from; at < most; at += 1) {
    const byte = body[at]
    if (isText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === LEFT_BRACE || byte === LEFT_BRACKET) depth += 1
    else if (byte === RIGHT_BRACE || byte === RIGHT_BRACKET) depth -= 1
    else if (byte === COMMA && depth === 0 && at >= least) return at + 1
  }
  return most === body.length ? most : undefined
}

/** The end of a slice of lines: the first line that ends after `SLICE_BYTES`. */
export function lineSliceEnd(body: Buffer, from: number): number {
  const found = body.indexOf('\n', from + SLICE_BYTES)
  return found === -1 ? body.length : found + 1
}
