import { authenticate } from '../access/authenticate.ts'
import type { ApiKey } from '../domain/api-key.ts'
import type { Organization } from '../domain/organization.ts'
import {
  internal,
  type Refusal,
  subscriptionInactive,
  tooManyRequests,
  unauthorized,
  unavailable,
} from '../domain/refusal.ts'
import { QuotaUnavailable } from '../realtime/realtime.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Api } from './api.ts'
import { openLedger } from './ledger.ts'
import type { Answer } from './operation.ts'
import { parseQuery } from './query.ts'
import { rateHeaders, wholeSeconds } from './rate-headers.ts'
import type { ApiRequest } from './request.ts'
import type { Route } from './route.ts'

/** What became of a request, and whose it was. */
export type Outcome = {
  reply: Answer | Refusal
  /** Headers of limits and quota, as name, value, name, value. */
  headers: string[]
  key: ApiKey | undefined
  organization: Organization | undefined
}

/** Seconds after which a client may try again when a part is down. */
const RETRY_AFTER_SECONDS = 5

/**
 * The contract's order of checks, for a path and method that are known: key (401), rate window
 * (429), subscription (403); then the operation's own: parameters (400), object (404), quota (400).
 */
export async function runOperation(api: Api, route: Route, request: ApiRequest): Promise<Outcome> {
  const { operation } = route
  const outcome: Outcome = {
    reply: unauthorized,
    headers: [],
    key: undefined,
    organization: undefined,
  }
  if (operation.isPublic) {
    outcome.reply = operation.run()
    return outcome
  }
  try {
    await authorize(api, request, outcome)
    const { organization } = outcome
    if (organization === undefined) return outcome

    const verdict = await api.realtime.window.take(organization.id)
    outcome.headers = rateHeaders(verdict)
    if (!verdict.admitted) {
      outcome.reply = tooManyRequests(wholeSeconds(verdict.resetUs))
      return outcome
    }
    if (operation.isPosition && organization.subscription !== 'active') {
      outcome.reply = subscriptionInactive(organization.subscription)
      return outcome
    }
    const ledger = openLedger(api.realtime.quota, organization, api.clock.now())
    try {
      outcome.reply = await operation.run({
        api,
        organization,
        fleet: api.catalogue.fleet(organization),
        ledger,
        id: route.id,
        query: parseQuery(route.search),
      })
    } catch (error) {
      await ledger.giveBack()
      throw error
    }
    outcome.headers.push(...ledger.headers())
  } catch (error) {
    outcome.reply = failureRefusal(api, error)
  }
  return outcome
}

/** Finds the key and its organization; leaves the outcome's as they are where there is none. */
async function authorize(api: Api, request: ApiRequest, outcome: Outcome): Promise<void> {
  await api.catchUp()
  const now = api.clock.now()
  const key = authenticate(request, (hash) => api.catalogue.keys.find(hash, now))
  if (key === undefined) return
  const organization = await api.catalogue.organization(key.organization)
  if (organization === null) return
  api.catalogue.keys.noteUse(key, now)
  outcome.key = key
  outcome.organization = organization
}

/** What an exception tells the client: that a part is down, or no more than that something broke. */
export function failureRefusal(api: Api, error: unknown): Refusal {
  const isOutage = error instanceof StoreUnavailable || error instanceof QuotaUnavailable
  api.log.failure(error)
  return isOutage ? unavailable(RETRY_AFTER_SECONDS) : internal
}
