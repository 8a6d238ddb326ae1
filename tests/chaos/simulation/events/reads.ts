import { type ModelObject, shownRows } from '../model/object.ts'
import { keptFrom, type ModelKey, type ModelOrganization, opens } from '../model/organization.ts'
import { type Amounts, countOf, settle, UNIT, unitsOf } from '../model/quota.ts'
import { admit } from '../model/window.ts'
import { type HttpAnswer, requestBytes } from '../network.ts'
import type { World } from '../world.ts'
import { detailFault, itemFault, latestFault, rowsFault } from './answers.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** A request and its right answer if all earlier checks pass. */
export type Read = {
  target: string
  isPosition: boolean
  /** The result of its own checks. */
  refused: Refused | null
  /** Its charge, which may follow from a right answer. */
  due: Due | null | ((answer: HttpAnswer) => Due | null | Refused)
  /** The fault of an answer of 200. */
  fault(result: unknown, headers: HttpAnswer['headers']): string | undefined
}

/** `isLimited`: whether a quota can refuse it. */
export type Due = { amounts: Amounts; isLimited: boolean }

/** `or`: another code that is equally right. */
export type Refused = { status: number; code: string; or?: string }

/** One request, or several of one kind that arrive together. */
export async function read(world: World): Promise<void> {
  const { random } = world
  const organization = random.pick(world.organizations)
  const key = random.pick(organization.keys)
  const many = random.chance(0.15) ? random.whole(2, 14) : 1
  const kind = random.pick(KINDS)
  // Simultaneous requests are of one kind, since each kind reaches the window after its own delay.
  const asked = Array.from({ length: many }, () => kind(world, organization))
  await ask(world, organization, key, many > 1 ? asked.map(() => asked[0]!) : asked)
}

/** Sends them together and judges each answer, in the order of sending. */
export async function ask(
  world: World,
  organization: ModelOrganization,
  key: ModelKey,
  reads: readonly Read[],
): Promise<(HttpAnswer | undefined)[]> {
  world.counts.requests += reads.length
  const bearer = world.random.chance(0.5)
  const headers: Record<string, string> = bearer
    ? { authorization: `Bearer ${key.secret}` }
    : { 'x-api-key': key.secret }
  const { api } = world.deployment
  const answers = await Promise.all(
    reads.map(({ target }) => api.exchange(requestBytes('GET', target, headers))),
  )
  for (const [index, asked] of reads.entries()) {
    const fault = judge(world, organization, key, asked, answers[index])
    if (fault !== undefined) world.fault(`${asked.target}: ${fault}`)
  }
  noteJournal(world)
  return answers
}

/** The checks of the contract, in order. */
function judge(
  world: World,
  organization: ModelOrganization,
  key: ModelKey,
  asked: Read,
  answer: HttpAnswer | undefined,
): string | undefined {
  if (answer === undefined) return 'the connection broke off'
  const now = world.clock.now()
  if (!opens(key, now)) return refusalFault(answer, { status: 401, code: 'ERR999' })
  const verdict = admit(organization.window, world.clock.monotonic())
  if (Number(answer.headers.get('x-ratelimit-remaining')) !== verdict.remaining) {
    return `${answer.headers.get('x-ratelimit-remaining')} requests remain, not ${verdict.remaining}`
  }
  if (Number(answer.headers.get('x-ratelimit-reset')) !== verdict.resetSeconds) {
    return `the next slot in ${answer.headers.get('x-ratelimit-reset')} s, not ${verdict.resetSeconds}`
  }
  if (!verdict.admitted) {
    if (Number(answer.headers.get('retry-after')) !== verdict.resetSeconds) {
      return `Retry-After is ${answer.headers.get('retry-after')}, not ${verdict.resetSeconds}`
    }
    return refusalFault(answer, { status: 429, code: 'ERR999' })
  }
  if (asked.isPosition && organization.subscription !== 'active') {
    return refusalFault(answer, { status: 403, code: 'SUBSCRIPTION.403_002' })
  }
  if (asked.refused !== null) return refusalFault(answer, asked.refused)
  const due = typeof asked.due === 'function' ? asked.due(answer) : asked.due
  if (due !== null && 'status' in due) return refusalFault(answer, due)
  const refused = charge(world, organization, due)
  if (refused !== null) return refusalFault(answer, refused)
  if (answer.status !== 200) return `${answer.status}, not 200: ${world.deployment.failures()}`
  return (
    quotaFault(world, organization, due, answer) ??
    asked.fault((JSON.parse(answer.body) as { result: unknown }).result, answer.headers)
  )
}

function refusalFault(answer: HttpAnswer, expected: Refused): string | undefined {
  const { errorCode } = JSON.parse(answer.body) as { errorCode?: string }
  if (errorCode !== undefined && errorCode === expected.or) return undefined
  return answer.status === expected.status && errorCode === expected.code
    ? undefined
    : `${answer.status} ${errorCode}, not ${expected.status} ${expected.code}`
}

/** Charges all objects or none. */
function charge(
  world: World,
  { id, dailyQuota }: ModelOrganization,
  due: Due | null,
): Refused | null {
  if (due === null) return null
  const { quota } = world
  const day = Math.floor(world.clock.now() / DAY_MS)
  const limit = due.isLimited ? dailyQuota : null
  // An earlier request may be charged already, and only later fail to be written.
  const away: Refused = { status: 503, code: 'ERR999', or: 'PUBLIC.400_005' }
  if (world.countersUp) settle(quota, id)
  else if (limit !== null && quota.owed.some(({ organization }) => organization === id)) return away
  const isExhausted = ([object, hundredths]: [number, number]) =>
    limit !== null && countOf(quota, object, day) + hundredths > limit * UNIT
  const { amounts } = due
  if ([...amounts].some(isExhausted)) return { status: 400, code: 'PUBLIC.400_005' }
  if (!world.countersUp && limit !== null) return away
  if (world.countersUp) quota.charges.push({ day, amounts, journalBytes: 0 })
  else quota.owed.push({ organization: id, day, amounts })
  return null
}

function quotaFault(
  world: World,
  { dailyQuota }: ModelOrganization,
  due: Due | null,
  { headers }: HttpAnswer,
): string | undefined {
  const shown = headers.get('x-quota-remaining')
  const isTold = due !== null && dailyQuota !== null && world.countersUp
  if (!isTold)
    return shown === undefined ? undefined : 'the answer has quota headers without a quota'
  if (due.amounts.size === 0) return undefined
  const now = world.clock.now()
  const day = Math.floor(now / DAY_MS)
  const used = Math.max(...Array.from(due.amounts.keys(), (id) => countOf(world.quota, id, day)))
  const remaining = Math.max(0, dailyQuota - Math.ceil(used / UNIT))
  if (Number(shown) !== remaining) return `${shown} of the quota remain, not ${remaining}`
  const reset = Math.ceil(((day + 1) * DAY_MS - now) / 1000)
  return Number(headers.get('x-quota-reset')) === reset
    ? undefined
    : 'the quota resets another time'
}

/** The length of the journal after each charge shows which charges a power cut can take. */
function noteJournal(world: World): void {
  const journalBytes = world.journalBytes()
  for (const charge of world.quota.charges.toReversed()) {
    if (charge.journalBytes > 0) break
    charge.journalBytes = journalBytes
  }
}

const KINDS = [detail, detail, latest, latest, history, history, history, objects, wrong] as const

const NOT_FOUND: Refused = { status: 404, code: 'PUBLIC.404_001' }
const INVALID: Refused = { status: 400, code: 'PUBLIC.400_001' }

function detail(world: World, organization: ModelOrganization): Read {
  const object = anyObject(world, organization)
  const own = organization.objects.includes(object)
  return {
    target: `/public/v1/objects/${object.id}`,
    isPosition: false,
    refused: own ? null : NOT_FOUND,
    due: { amounts: unitsOf([object.id]), isLimited: false },
    fault: (result) => detailFault(result, object, organization.unit),
  }
}

function latest(world: World, organization: ModelOrganization): Read {
  const asked = Array.from({ length: world.random.whole(1, 4) }, () =>
    anyObject(world, organization),
  )
  const found = [...new Set(asked)].filter((object) => organization.objects.includes(object))
  return {
    target: `/public/v1/positions/latest?ids=${asked.map(({ id }) => id).join(',')}`,
    isPosition: true,
    refused: found.length === 0 ? NOT_FOUND : null,
    due: { amounts: unitsOf(found.map(({ id }) => id)), isLimited: true },
    fault: (result) => latestFault(result, found, organization.unit),
  }
}

function history(world: World, organization: ModelOrganization): Read {
  const object = anyObject(world, organization)
  const limit = world.random.chance(0.6) ? world.random.whole(1, 12) : null
  return historyOf(world, organization, object, rangeOf(world, object), limit)
}

/** A page without obligations; a later event reads the next one. */
export function historyOf(
  world: World,
  organization: ModelOrganization,
  object: ModelObject,
  range: { from: number; to: number },
  limit: number | null,
): Read {
  const query = new URLSearchParams({ from_time: iso(range.from), to_time: iso(range.to) })
  if (limit !== null) query.set('limit', String(limit))
  const own = organization.objects.includes(object)
  return {
    target: `/public/v1/objects/${object.id}/positions?${query}`,
    isPosition: true,
    refused: own ? null : NOT_FOUND,
    due: { amounts: unitsOf([object.id]), isLimited: true },
    fault(result, headers) {
      const rows = shownRows(object, range, keptFrom(organization, world.clock.now()))
      const page = limit === null ? rows : rows.slice(0, limit)
      const link = nextLink(headers)
      if ((link !== undefined) !== rows.length > page.length)
        return 'a link where none should be, or none'
      if (link !== undefined && world.pagings.length < 4) {
        const after = page.at(-1)!.fix.timeDevice
        world.pagings.push({ organization: organization.id, object: object.id, range, link, after })
      }
      return rowsFault(result, page, object, organization.unit)
    },
  }
}

export function nextLink(headers: HttpAnswer['headers']): string | undefined {
  return /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
}

function objects(_world: World, organization: ModelOrganization): Read {
  return {
    target: '/public/v1/objects',
    isPosition: false,
    refused: null,
    due: null,
    fault(result) {
      const items = result as { id: number; ident: string }[]
      const { objects: own, unit } = organization
      // This list is the first to show the id of an object that a packet has created.
      for (const object of own.filter(({ id }) => id === 0)) {
        object.id = items.find(({ ident }) => ident === object.ident)?.id ?? 0
      }
      own.sort((a, b) => a.id - b.id)
      if (items.length !== own.length) return `${items.length} objects, not ${own.length}`
      return items
        .map((item, index) => itemFault(item, own[index]!, unit))
        .find((fault) => fault !== undefined)
    },
  }
}

/** Parameters and ids that are refused for any object. */
function wrong(world: World, organization: ModelOrganization): Read {
  const { id } = anyObject(world, organization)
  const position = { isPosition: true, refused: INVALID }
  const [target, kind] = world.random.pick([
    [`objects/x${id}`, { isPosition: false, refused: INVALID }],
    [`objects/${2 ** 53}${id}`, { isPosition: false, refused: NOT_FOUND }],
    [`objects/${id}/positions?to_time=2026-01-01`, position],
    [`objects/${id}/positions?from_time=2026-01-01&to_time=2026-02-30`, position],
    [`objects/${id}/positions?from_time=2026-01-02&to_time=2026-01-01`, position],
    [`objects/${id}/positions?from_time=2026-01-01&to_time=2026-01-02&limit=0`, position],
    [
      `objects/${id}/positions?from_time=2026-01-01&to_time=2026-01-02&cursor=${'A'.repeat(30)}`,
      position,
    ],
    [`positions/latest?ids=${id},`, position],
  ] as const)
  return { ...kind, target: `/public/v1/${target}`, due: null, fault: () => 'it was not refused' }
}

/** Usually one of its own; sometimes a foreign or deleted one. */
function anyObject({ random, organizations }: World, own: ModelOrganization): ModelObject {
  const known = (random.chance(0.9) ? [own] : organizations).flatMap(({ objects }) => objects)
  const named = known.filter(({ id }) => id !== 0)
  return named.length > 0 ? random.pick(named) : GONE
}

const GONE = { id: 999_999 } as ModelObject

function rangeOf({ random, clock }: World, { fixes = [] }: Partial<ModelObject>) {
  const now = clock.now()
  const from = random.chance(0.4) ? 0 : now - random.whole(0, 50) * HOUR_MS
  const edge = fixes.length > 0 && random.chance(0.3) ? random.pick(fixes).timeDevice : from
  const to = random.chance(0.6) ? now + 2 * DAY_MS : now - random.whole(0, 30) * 60_000
  return { from: Math.min(edge, to), to }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
