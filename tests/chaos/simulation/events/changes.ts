import type { Json } from '../../../acceptance/harness/fleetgate.ts'
import { applyPage, historyIn, newReplica } from '../../../acceptance/harness/following/replica.ts'
import { type ModelObject, shownRows, stateOf } from '../model/object.ts'
import { keptFrom, type ModelOrganization } from '../model/organization.ts'
import { countOf, settle, UNIT } from '../model/quota.ts'
import type { HttpAnswer } from '../network.ts'
import type { ChangesReader, World } from '../world.ts'
import { ask, type Due, type Read, type Refused } from './reads.ts'

const DAY_MS = 86_400_000
const FOREVER = 2 ** 47

/** The next page of `/changes`, from the history on. It is charged by its entries, and adds up to the histories. */
export async function readChanges(world: World): Promise<void> {
  const { random, readers } = world
  const organization = random.pick(world.organizations)
  const isNew = random.chance(0.05)
  const reader = (isNew ? undefined : readers.get(organization.id)) ?? newReader(organization)
  readers.set(organization.id, reader)
  const limit = random.pick([1, 5, 50, 1_000])
  const [answer] = await ask(world, organization, random.pick(organization.keys), [
    pageOf(world, organization, reader, limit),
  ])
  if (answer?.status === 410) readers.delete(organization.id)
}

function newReader({ unit }: ModelOrganization): ChangesReader {
  return { cursor: null, unit, isInLog: false, hiddenBefore: 0, replica: newReplica() }
}

function pageOf(
  world: World,
  organization: ModelOrganization,
  reader: ChangesReader,
  limit: number,
): Read {
  const { cursor, unit } = reader
  const place = cursor === null ? 'from=history&include=exact' : `cursor=${cursor}`
  const isExpired = cursor !== null && unit !== organization.unit
  return {
    target: `/public/v1/changes?${place}&limit=${limit}`,
    isPosition: true,
    refused: isExpired ? { status: 410, code: 'PUBLIC.410_001' } : null,
    due: (answer) => dueOf(world, organization, reader, answer),
    fault(result) {
      const page = result as Json
      if (page.changes.length > limit) return `${page.changes.length} entries`
      return take(world, organization, reader, page)
    },
  }
}

/** A page costs each object of a snapshot a unit, and in the log a hundredth for each position and state. */
function dueOf(
  world: World,
  organization: ModelOrganization,
  reader: ChangesReader,
  answer: HttpAnswer,
): Due | null | Refused {
  if (answer.status !== 200) return emptyDue(world, organization, reader)
  const page: Json = JSON.parse(answer.body).result
  const amounts = new Map<number, number>()
  for (const { type, op, position, state } of page.changes) {
    const isCharged = op === 'put' && (type === 'position' || type === 'state')
    if (!isCharged) continue
    const { id } = position ?? state
    amounts.set(id, page.snapshot ? UNIT : (amounts.get(id) ?? 0) + 1)
  }
  if (amounts.size > 0) return { amounts, isLimited: true }
  // The whole page was refused first, and then cut to entries without a price.
  const isRefused = answer.headers.has('x-quota-remaining')
  if (isRefused) settle(world.quota, organization.id)
  return isRefused ? { amounts, isLimited: true } : null
}

/** A page is refused only if the first object that it charges can pay nothing. */
function emptyDue(
  { quota, clock }: World,
  { id, objects, dailyQuota }: ModelOrganization,
  { isInLog }: ChangesReader,
): Due | Refused {
  settle(quota, id)
  const day = Math.floor(clock.now() / DAY_MS)
  const price = isInLog ? 1 : UNIT
  const canNotPay = (object: ModelObject) =>
    dailyQuota !== null && countOf(quota, object.id, day) + price > dailyQuota * UNIT
  return objects.some(canNotPay)
    ? { status: 400, code: 'PUBLIC.400_005' }
    : { amounts: new Map(), isLimited: false }
}

/** Applies a page. The fault of the replica, once it has everything. */
function take(
  world: World,
  organization: ModelOrganization,
  reader: ChangesReader,
  page: Json,
): string | undefined {
  try {
    applyPage(reader.replica, page, world.clock.now())
  } catch (error) {
    return `${error}`
  }
  reader.cursor = page.cursor
  reader.isInLog = !page.snapshot || !page.has_more
  const from = keptFrom(organization, world.clock.now())
  reader.hiddenBefore = Math.max(reader.hiddenBefore, from)
  if (page.has_more) return undefined
  return organization.objects
    .filter(({ id }) => id !== 0)
    .map((object) => replicaFault(reader, object))
    .find((fault) => fault !== undefined)
}

/** A position that was hidden when its page was made is not missed when the clock was set back. */
function replicaFault({ replica, hiddenBefore }: ChangesReader, object: ModelObject) {
  const shown = shownRows(object, { from: hiddenBefore, to: FOREVER }, 0)
  const from = Math.max(hiddenBefore, object.purgedThrough + 1)
  const rows = historyIn(replica, object.id).filter(
    ({ time_device }) => Date.parse(time_device) >= from,
  )
  const found = JSON.stringify(rows.map(placeOf))
  const expected = JSON.stringify(
    shown.map(({ fix }) => [new Date(fix.timeDevice).toISOString(), fix.latitude, fix.longitude]),
  )
  if (found !== expected) return `the positions of ${object.id} are ${found}, not ${expected}`
  const { heardAt, last } = stateOf(object)
  // An object that has never reported has no state of its own.
  const state = replica.states.get(object.id) ?? replica.items.object.get(object.id)
  const times = [isoOrNull(heardAt), isoOrNull(last?.timeDevice ?? null)]
  const isSame = JSON.stringify([state?.time_server, state?.time_device]) === JSON.stringify(times)
  return isSame ? undefined : `the state of ${object.id} is ${JSON.stringify(state)}, not ${times}`
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

function placeOf({ time_device, latitude, longitude }: Record<string, unknown>) {
  return [time_device, latitude, longitude]
}
