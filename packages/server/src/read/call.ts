import type { ServerResponse } from 'node:http'
import type { RateVerdict } from '../base/access/sliding-log.ts'
import type { Credential } from '../base/domain/credential.ts'
import type { Disclosed } from '../base/domain/disclosure.ts'
import type { Organization } from '../base/domain/organization.ts'
import type { StatesRead } from '../data/live/realtime.ts'
import type { StreamEnd } from './changes/open-streams.ts'
import type { ApiRequest, Query } from './exchange/request.ts'
import type { Format } from './formats/formats.ts'
import type { Refusal } from './refusal.ts'
import type { ChargeLater, Due } from './request-limits.ts'
import type { Sources } from './rows/scoped-sources.ts'

/* A call of an operation, and its answer. */

/** An authenticated request, with a subscription if needed. Its sources have only what the key may see. */
export type Call = Sources & {
  readonly organization: Organization
  /** The path's `{id}` as sent. */
  readonly id: string
  readonly query: Query
  readonly key: Credential
  readonly request: ApiRequest
  /** One of the operation's formats. */
  readonly format: Format
}

/** A request that will be answered if the rate window and the daily quota admit it. */
export type Prepared = {
  readonly due: Due | null
  /** The objects whose states it shows. They are read together with window and quota. */
  readonly shown: readonly number[]
  /**
   * A check that reads the store, but no data of an object. Runs after the window has admitted the request, and before the
   * charge.
   */
  readonly checkStored?: () => Promise<Refusal | undefined>
  /**
   * `charge`: for an answer that knows only after reading which objects it charges. `rate`: of the window that admitted
   * the request.
   */
  answer(
    states: StatesRead | null,
    charge: ChargeLater,
    rate: RateVerdict,
  ): Answer | Refusal | Promise<Answer | Refusal>
}

/** A stream of server-sent events. */
export type EventStream = {
  /** Writes the events. Resolves when the stream has ended. Never rejects. */
  run(response: ServerResponse): Promise<void>
  /** Why it ended. */
  ended(): StreamEnd | undefined
}

/** A 200. */
export type Answer = {
  /** The body: complete, or a function to call if it is needed (no 304), or a stream. */
  readonly body:
    | EventStream
    | string
    | Buffer
    | (() => Promise<Buffer | AsyncIterable<Uint8Array>>)
    | AsyncIterable<Uint8Array>
  /** The length in bytes of a text body, if known. */
  readonly bytes?: number
  /** The opaque part of a weak entity tag. */
  readonly tag?: string
  /** Whether compression is forbidden. */
  readonly isPlain?: boolean
  /** Whether no cache may keep it. */
  readonly isFresh?: boolean
  /** Whether it may have waited for a change, so that its duration says nothing about the server. */
  readonly isHeld?: boolean
  /** The absolute path of the next page. */
  readonly next?: string | undefined
  /** The objects that were left out because their quota is exhausted. */
  readonly withheld?: readonly number[]
  /** The objects that it shows, if they differ from the charged ones or their rows are known only now. */
  readonly disclosed?: Disclosed
  /** The time of the commit up to which the records of the answer are derived. */
  readonly recordsUntil?: number | undefined
  /** The IANA time zone of its days. */
  readonly timeZone?: string
}
