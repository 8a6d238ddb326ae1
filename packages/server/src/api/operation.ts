import type { Fleet } from '../catalogue/fleet.ts'
import type { Organization } from '../domain/organization.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Api } from './api.ts'
import type { Ledger } from './ledger.ts'
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
  run(call: Call): Promise<Answer | Refusal>
}

/** A request that is authenticated, within its window and, where that matters, subscribed. */
export type Call = {
  readonly api: Api
  readonly organization: Organization
  readonly fleet: Fleet
  readonly ledger: Ledger
  /** The path's `{id}` as it was sent. */
  readonly id: string
  readonly query: Query
}

/** A 200. */
export type Answer = {
  /** Whole, or made when it turns out to be wanted (no 304), or a stream. */
  readonly body: string | Buffer | (() => Promise<Buffer>) | AsyncIterable<Uint8Array>
  /** The opaque part of a weak entity tag. */
  readonly tag?: string
  /** The absolute path of the next page. */
  readonly next?: string | undefined
}
