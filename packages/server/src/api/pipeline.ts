import { authenticate } from '../access/authenticate.ts'
import type { Credential } from '../domain/credential.ts'
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
import type { Answer, KeyedOperation } from './operation.ts'
import { parseQuery } from './query.ts'
import { rateHeaders, wholeSeconds } from './rate-headers.ts'
import type { ApiRequest } from './request.ts'
import type { Route } from './route.ts'

/** What became of a request, and whose it was. */
export type Outcome = {
  reply: Answer | Refusal
  /** Headers of limits and quota, as name, value, name, value. */
  headers: string[]
  key: Credential | undefined
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
    // What is known is not awaited: each turn of the microtasks counts at this rate.
    const outdated = api.catchUp()
    if (outdated !== undefined) await outdated
    const now = api.clock.now()
    const key = authenticate(request, (hash) => api.catalogue.keys.find(hash, now))
    if (key === undefined) return outcome
    const found = api.catalogue.organization(key.organization)
    const organization = found instanceof Promise ? await found : found
    if (organization === null) return outcome

    api.catalogue.keys.noteUse(key, now)
    outcome.key = key
    outcome.organization = organization
    await runFor(organization, operation, api, route, outcome)
  } catch (error) {
    outcome.reply = failureRefusal(api, error)
  }
  return outcome
}

/** What comes after the key. What an operation that fails has charged is given back. */
async function runFor(
  organization: Organization,
  operation: KeyedOperation,
  api: Api,
  { id, search }: Route,
  outcome: Outcome,
): Promise<void> {
  const verdict = await api.realtime.window.take(organization.id)
  outcome.headers = rateHeaders(verdict)
  if (!verdict.admitted) {
    outcome.reply = tooManyRequests(wholeSeconds(verdict.resetUs))
    return
  }
  if (operation.isPosition && organization.subscription !== 'active') {
    outcome.reply = subscriptionInactive(organization.subscription)
    return
  }
  const ledger = openLedger(api.realtime.quota, organization, api.clock.now())
  const fleet = api.catalogue.fleet(organization)
  try {
    const query = parseQuery(search)
    outcome.reply = await operation.run({ api, organization, fleet, ledger, id, query })
  } catch (error) {
    await ledger.giveBack()
    throw error
  }
  outcome.headers.push(...ledger.headers())
}

/** What an exception tells the client: that a part is down, or no more than that something broke. */
export function failureRefusal(api: Api, error: unknown): Refusal {
  const isOutage = error instanceof StoreUnavailable || error instanceof QuotaUnavailable
  api.log.failure(error)
  return isOutage ? unavailable(RETRY_AFTER_SECONDS) : internal
}
