import type { Socket } from 'node:net'
import type { Fleet } from '../catalogue/fleet.ts'
import type { Organization } from '../domain/organization.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { StatesRead } from '../realtime/realtime.ts'
import type { Api } from './api.ts'
import type { Due } from './ledger.ts'
import type { Query } from './query.ts'

/** The global prefix and the version, in front of every operation's path. */
export const PREFIX = '/public/v1'

/** One of the contract's operations; `pipeline.ts` runs the checks that come before it. */
export type Operation = PublicOperation | KeyedOperation

type Named = {
  /** As in openapi.json; also the operation's name in logs and metrics. */
  readonly id: string
}

export type PublicOperation = Named & { readonly isPublic: true; run(): Answer }

export type KeyedOperation = Named & {
  readonly isPublic: false
  /** Whether it is a position endpoint, which asks for an active subscription. */
  readonly isPosition: boolean
  /**
   * The operation's own checks (parameters, object), as far as they cost little: the rate window,
   * which is asked after them, may yet refuse.
   */
  prepare(call: Call): Refusal | Prepared | Promise<Refusal | Prepared>
}

/** A request that is authenticated and, where that matters, subscribed. */
export type Call = {
  readonly api: Api
  readonly organization: Organization
  readonly fleet: Fleet
  /** The path's `{id}` as it was sent. */
  readonly id: string
  readonly query: Query
  /** Over which the request came. */
  readonly connection: Socket
}

/** A request that is to be answered, if the rate window and the daily quota let it. */
export type Prepared = {
  readonly due: Due | null
  /** Objects whose states it shows; they are read together with the window and the quota. */
  readonly states: readonly number[]
  /** A check that reads the store: made once the window has admitted it, and before the charge. */
  readonly check?: () => Promise<Refusal | undefined>
  answer(states: StatesRead | null): Answer | Promise<Answer>
}

/** A 200. */
export type Answer = {
  /** Whole, or made when it turns out to be wanted (no 304), or a stream. */
  readonly body:
    | string
    | Buffer
    | (() => Promise<Buffer | AsyncIterable<Uint8Array>>)
    | AsyncIterable<Uint8Array>
  /** The bytes of a body that is text, where they have been counted. */
  readonly bytes?: number
  /** The opaque part of a weak entity tag. */
  readonly tag?: string
  /** The absolute path of the next page. */
  readonly next?: string | undefined
}
