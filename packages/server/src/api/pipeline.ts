import { authenticate, keyFault } from '../access/authenticate.ts'
import type { Fleet } from '../catalogue/fleet.ts'
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
import {
  type DailyQuota,
  QuotaUnavailable,
  type Shared,
  type Wants,
  WindowUnavailable,
} from '../realtime/realtime.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Api } from './api.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { Answer, KeyedOperation, Prepared } from './operation.ts'
import { parseQuery } from './query.ts'
import { rateHeaders, wholeSeconds } from './rate-headers.ts'
import type { ApiRequest } from './request.ts'
import type { Route } from './route.ts'

/** The outcome of a request, and its organization. */
export type Outcome = {
  reply: Answer | Refusal
  /** Headers of limits and quota as name, value, name, value. */
  headers: string[]
  key: Credential | undefined
  organization: Organization | undefined
}

/** Seconds after which a client may try again when a part is down. */
const RETRY_AFTER_SECONDS = 5

/**
 * Runs the contract's checks, in order, for a known path and method: key (401), rate window (429),
 * subscription (403); then the operation's own: parameters (400), object (404); quota (400).
 */
export async function runOperation(api: Api, route: Route, request: ApiRequest): Promise<Outcome> {
  const { operation } = route
  const outcome: Outcome = {
    reply: unauthorized.invalid,
    headers: [],
    key: undefined,
    organization: undefined,
  }
  if (operation.isPublic) {
    outcome.reply = operation.run()
    return outcome
  }
  try {
    // Do not await known values: at this request rate each microtask counts.
    const outdated = api.catchUp()
    if (outdated !== undefined) await outdated
    const now = api.clock.now()
    const key = authenticate(request, (hash) => api.catalogue.keys.find(hash, now))
    if (key === undefined) {
      outcome.reply = unauthorized[keyFault(request)]
      return outcome
    }
    const found = api.catalogue.fleetOf(key.organization)
    const fleet = found instanceof Promise ? await found : found
    if (fleet === null) return outcome

    api.catalogue.keys.noteUse(key, now)
    outcome.key = key
    outcome.organization = fleet.organization
    await runFor(fleet, operation, api, route, request, outcome)
  } catch (error) {
    outcome.reply = failureRefusal(api, request, error)
  }
  return outcome
}

/**
 * The checks after the key. The operation's own checks run before the window is asked, although the
 * window's refusal goes before theirs. So one call asks everything that processes share.
 */
async function runFor(
  fleet: Fleet,
  operation: KeyedOperation,
  api: Api,
  route: Route,
  request: ApiRequest,
  outcome: Outcome,
): Promise<void> {
  const { realtime } = api
  const { organization } = fleet
  // Do not await values that are there, here and below.
  const checked = prepare(fleet, operation, api, route, request)
  const prepared = checked instanceof Promise ? await checked : checked
  const ledger = openLedger(realtime.quota, organization, api.clock.now())
  const asked = realtime.ask(organization.id, wantsOf(prepared, ledger))
  const shared = asked instanceof Promise ? await asked : asked
  outcome.headers = rateHeaders(shared.rate)
  if (!shared.rate.admitted) {
    outcome.reply = tooManyRequests(wholeSeconds(shared.rate.resetUs))
    return
  }
  if ('failure' in prepared) throw prepared.failure
  if ('status' in prepared) {
    outcome.reply = prepared
    return
  }
  const { check } = prepared
  const answered =
    check === undefined
      ? answerCharged(prepared, shared, ledger)
      : answerChecked(check, prepared, shared, realtime.quota, organization, ledger)
  outcome.reply = answered instanceof Promise ? await answered : answered
  outcome.headers.push(...ledger.headers())
}

/** The result of the operation's own checks. A failure among them waits until the window was asked. */
type Checked = Prepared | Refusal | { failure: unknown }

function prepare(
  fleet: Fleet,
  operation: KeyedOperation,
  api: Api,
  { id, search }: Route,
  { connection }: ApiRequest,
): Checked | Promise<Checked> {
  const { organization } = fleet
  if (operation.isPosition && organization.subscription !== 'active') {
    return subscriptionInactive(organization.subscription)
  }
  try {
    const query = parseQuery(search)
    const checked = operation.prepare({ api, organization, fleet, id, query, connection })
    return checked instanceof Promise ? checked.catch(failed) : checked
  } catch (failure) {
    return failed(failure)
  }
}

const failed = (failure: unknown): Checked => ({ failure })

const NOTHING: Wants = { charge: null, states: [] }

function wantsOf(prepared: Checked, ledger: Ledger): Wants {
  if ('failure' in prepared || 'status' in prepared) return NOTHING
  const { check, due, states } = prepared
  const isChargedNow = due !== null && check === undefined
  return { charge: isChargedNow ? ledger.charge(due) : null, states }
}

async function answerChecked(
  check: NonNullable<Prepared['check']>,
  prepared: Prepared,
  shared: Shared,
  quota: DailyQuota,
  organization: Organization,
  ledger: Ledger,
): Promise<Answer | Refusal> {
  const refusal = await check()
  if (refusal !== undefined) return refusal
  const { due } = prepared
  const charge = due === null ? null : await quota.charge(organization.id, ledger.charge(due))
  return answerCharged(prepared, { ...shared, charge }, ledger)
}

/** Gives back the charge of a failed operation. */
function answerCharged(
  { due, answer }: Prepared,
  { charge, states }: Shared,
  ledger: Ledger,
): Answer | Refusal | Promise<Answer> {
  if (charge === 'unavailable') throw new QuotaUnavailable('the quota cannot be counted')
  if (due !== null && charge !== null) {
    const refusal = ledger.enter(due, charge)
    if (refusal !== undefined) return refusal
  }
  async function giveBack(error: unknown): Promise<never> {
    await ledger.giveBack()
    throw error
  }
  try {
    const answered = answer(states)
    return answered instanceof Promise ? answered.catch(giveBack) : answered
  } catch (error) {
    return giveBack(error)
  }
}

const OUTAGES = [StoreUnavailable, QuotaUnavailable, WindowUnavailable]

/** The refusal for an exception: a part is down, or an internal error. */
export function failureRefusal(api: Api, request: ApiRequest, error: unknown): Refusal {
  const isOutage = OUTAGES.some((outage) => error instanceof outage)
  api.log.failure(error, request.id)
  return isOutage ? unavailable(RETRY_AFTER_SECONDS) : internal
}
