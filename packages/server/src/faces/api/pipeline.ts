import {
  authenticate,
  type Denial,
  keyDenial,
  keyFault,
} from '../../base/access/authenticate-key.ts'
import type { WindowShare } from '../../base/access/sliding-log.ts'
import { addAll } from '../../base/domain/common/any-number.ts'
import type { Credential } from '../../base/domain/credential.ts'
import type { Disclosed } from '../../base/domain/disclosure.ts'
import { opensAll } from '../../base/domain/key-scope.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { clientGone } from '../../base/http/send-whole.ts'
import type { Fleet } from '../../data/cache/fleet-cache.ts'
import {
  type DailyQuota,
  QuotaUnavailable,
  type RequestNeeds,
  type SharedAnswer,
} from '../../data/live/realtime.ts'
import type { Api, Opened } from '../../read/api.ts'
import type { Answer, Prepared } from '../../read/call.ts'
import { readFormat } from '../../read/exchange/negotiation.ts'
import { cutShort, failureRefusal, RETRY_AFTER_SECONDS } from '../../read/exchange/reply.ts'
import { type ApiRequest, parseQuery } from '../../read/exchange/request.ts'
import { type Format, JSON_ALONE } from '../../read/formats/formats.ts'
import {
  operationNotOpened,
  type Refusal,
  subscriptionInactive,
  tooManyRequests,
  unauthorized,
  unavailable,
} from '../../read/refusal.ts'
import { Ledger, rateHeaders, wholeSeconds, windowLimit } from '../../read/request-limits.ts'
import { sourcesOf } from '../../read/rows/scoped-sources.ts'
import {
  ignoredHeader,
  type KeyedOperation,
  refuseUnknown,
  unknownParameters,
} from './operation.ts'
import type { MatchedRoute } from './operations/api-operations.ts'
import { inWorkbook, sheetZone } from './workbook-answer.ts'

/** The outcome of a request, and its organization. */
export type Outcome = {
  reply: Answer | Refusal
  /** Headers of limits and quota as name, value, name, value. */
  headers: string[]
  key: Credential | undefined
  /** Why there is no valid key. */
  denial: Denial | undefined
  organization: Organization | undefined
  /** The format of the answer, if the operation has several. */
  format: Format | undefined
}

/**
 * Runs the contract's checks, in order, for a known path and method: key (401), rate window (429),
 * scope and subscription (403); then the operation's own: parameters (400), object (404); quota (400). Never rejects.
 */
export async function runOperation(
  api: Api,
  route: MatchedRoute,
  request: ApiRequest,
): Promise<Outcome> {
  const { operation } = route
  const outcome: Outcome = {
    reply: unauthorized.invalid,
    headers: [],
    key: undefined,
    denial: undefined,
    organization: undefined,
    format: undefined,
  }
  try {
    outcome.reply = operation.isPublic
      ? operation.run()
      : await runKeyed(operation, api, route, request, outcome)
  } catch (error) {
    outcome.reply = failureRefusal(api, request, error)
  }
  return outcome
}

/**
 * Notes in `outcome` what becomes known: a failure after it still has key, organization and limits. `liveApi`: the API
 * of the live data. A test key opens another one, which the rest of the function uses.
 */
async function runKeyed(
  operation: KeyedOperation,
  liveApi: Api,
  { id, search }: MatchedRoute,
  request: ApiRequest,
  outcome: Outcome,
): Promise<Answer | Refusal> {
  // 1. The key. Await only promises: each await of a plain value makes promises, the largest part of a request's
  // garbage.
  const outdated = liveApi.catchUp()
  if (outdated !== undefined) await outdated
  const now = liveApi.clock.now()
  const key = authenticate(request, (hash) => liveApi.directory.keys.find(hash, now))
  if (key === undefined) {
    outcome.denial = keyDenial(request, liveApi.directory.keys.known, now)
    return unauthorized[keyFault(request)]
  }
  const opening = open(liveApi, key, request)
  const opened = opening instanceof Promise ? await opening : opening
  if (opened === null) {
    outcome.denial = keyDenial(request, liveApi.directory.keys.known, now)
    return unauthorized.invalid
  }
  liveApi.directory.keys.noteUse(key, now)
  const { api, fleet } = opened
  const { organization } = fleet
  outcome.key = key
  outcome.organization = organization
  if (opened.isDown) return unavailable(RETRY_AFTER_SECONDS)

  // 2. The operation's own checks. They run before the window is asked, so that one call asks for everything that
  // processes share. If both refuse, the refusal of the window is the answer.
  const query = parseQuery(search)
  const { formats = JSON_ALONE } = operation
  const format = readFormat(formats, query, request.accept)
  const zone = format === 'xlsx' ? sheetZone(query) : null
  const unknown = unknownParameters(operation, query, format)
  const preparing = prepareOrRefuse(operation, key, organization, () => {
    if (unknown.length > 0 && !operation.isContract) return refuseUnknown(operation, unknown[0]!)
    if (typeof format === 'object') return format
    if (typeof zone === 'object' && zone !== null) return zone
    if (formats.length > 1) outcome.format = format
    const sources = sourcesOf(api, fleet, key.scope)
    return operation.prepare({ ...sources, organization, id, query, key, request, format })
  })
  const prepared = preparing instanceof Promise ? await preparing : preparing

  // 3. Window, quota and states.
  const ledger = new Ledger(api.realtime.quota, organization, api.clock)
  const needs = needsOf(prepared, ledger, organization, key)
  const shared = await api.realtime.ask(organization.id, needs)
  outcome.headers = rateHeaders(shared.rate, windowLimit(organization, key.scope))
  if (unknown.length > 0 && operation.isContract) addAll(outcome.headers, ignoredHeader(unknown))
  if (!shared.rate.admitted) return tooManyRequests(wholeSeconds(shared.rate.resetUs))
  if ('failure' in prepared) throw prepared.failure
  if ('status' in prepared) return prepared

  // 4. The answer.
  const answering =
    prepared.checkStored === undefined
      ? answerCharged(prepared, shared, ledger)
      : answerAfterCheck(prepared, shared, api.realtime.quota, organization, ledger)
  const reply = answering instanceof Promise ? await answering : answering
  if ('status' in reply && reply.status === 429) {
    // No request that is refused with 429 counts, whatever the reason.
    const rate = await api.realtime.giveBack(organization.id, needs, shared.atUs)
    outcome.headers = rateHeaders(rate, windowLimit(organization, key.scope))
  }
  addAll(outcome.headers, ledger.headers())
  if ('status' in reply) return reply
  disclose(api, key, operation, reply.disclosed ?? ledger.charged())
  const answer = typeof zone === 'string' ? inWorkbook(reply, operation.path, zone) : reply
  const written = opened.isCut ? cutShort(answer, request.connection) : answer
  const named = query.get('format')?.[0]
  if (!named || written.next === undefined) return written
  return { ...written, next: `${written.next}&format=${named}` }
}

/** Null: the organization of the key no longer exists. */
function open(
  api: Api,
  key: Credential,
  { connection }: ApiRequest,
): Promise<Opened | null> | Opened | null {
  if (key.scenario !== null) return api.testFleet.open(key, clientGone(connection))
  const opened = (fleet: Fleet | null) => fleet && { api, fleet, isDown: false, isCut: false }
  const found = api.directory.fleetOf(key.organization)
  return found instanceof Promise ? found.then(opened) : opened(found)
}

/** Counts the rows that the key was shown, under the first of the operations that a scope has to name. */
function disclose(
  { disclosures }: Api,
  key: Credential,
  { openedBy: [data] }: KeyedOperation,
  disclosed: Disclosed | null,
): void {
  if (data === undefined || disclosed === null || disclosed.objects.length === 0) return
  disclosures.answer(key, data, disclosed)
}

/** The result of the operation's own checks. A failure is thrown only after the window has admitted the request. */
type Preparation = Prepared | Refusal | { failure: unknown }

function prepareOrRefuse(
  operation: KeyedOperation,
  { scope }: Credential,
  { subscription }: Organization,
  prepare: () => ReturnType<KeyedOperation['prepare']>,
): Promise<Preparation> | Preparation {
  if (!opensAll(scope, operation.openedBy)) return operationNotOpened
  if (operation.isPosition && subscription !== 'active') return subscriptionInactive(subscription)
  const failed = (failure: unknown): Preparation => ({ failure })
  try {
    const prepared = prepare()
    return prepared instanceof Promise ? prepared.catch(failed) : prepared
  } catch (failure) {
    return failed(failure)
  }
}

function shareOf({ id, scope }: Credential): WindowShare | undefined {
  const requests = scope?.windowShare ?? null
  return requests === null ? undefined : { key: id, requests }
}

/** The needs of a request. If it has a check of the store, it is charged only after that check. */
function needsOf(
  prepared: Preparation,
  ledger: Ledger,
  { windowRequests }: Organization,
  key: Credential,
): RequestNeeds {
  const share = shareOf(key)
  if ('failure' in prepared || 'status' in prepared) {
    return { charge: null, shown: [], windowRequests, share }
  }
  const { checkStored, due, shown } = prepared
  const isChargedNow = due !== null && checkStored === undefined
  return { charge: isChargedNow ? ledger.chargeFor(due) : null, shown, windowRequests, share }
}

/** Answers a request whose check reads the store. The request is charged after the check. */
async function answerAfterCheck(
  prepared: Prepared,
  shared: SharedAnswer,
  quota: DailyQuota,
  { id }: Organization,
  ledger: Ledger,
): Promise<Answer | Refusal> {
  const { checkStored, due } = prepared
  const refusal = await checkStored!()
  if (refusal !== undefined) return refusal
  const charge = due && ledger.chargeFor(due)
  const verdict = charge && (await quota.charge(id, charge))
  return answerCharged(prepared, { ...shared, charge: verdict }, ledger)
}

function answerCharged(
  { due, answer }: Prepared,
  { rate, charge, states }: SharedAnswer,
  ledger: Ledger,
): Answer | Refusal | Promise<Answer | Refusal> {
  if (charge === 'unavailable') throw new QuotaUnavailable('the quota cannot be counted')
  if (due !== null && charge !== null) {
    const refusal = ledger.enter(due, charge)
    if (refusal !== undefined) return refusal
  }
  const giveBack = async (error: unknown): Promise<never> => {
    await ledger.giveBack()
    throw error
  }
  try {
    const answered = answer(states, (due) => ledger.chargeLater(due), rate)
    return answered instanceof Promise ? answered.catch(giveBack) : answered
  } catch (error) {
    return giveBack(error)
  }
}
