import type { ModelObject, Outcome } from '../model/object.ts'
import {
  type ModelKey,
  type ModelOrganization,
  makeObjects,
  opens,
  type SentRow,
  takeRow,
} from '../model/organization.ts'
import { type HttpAnswer, readAnswer, requestBytes } from '../network.ts'
import { packetOf, rowJson, type TrackerIndex } from '../tracker.ts'
import type { World } from '../world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const BROKEN = ['missing_field', 'bad_number', 'bad_time'] as const

/** A request of some rows, whose sender receives as much of the answer as the network delivers. */
export async function sendPackets(world: World): Promise<void> {
  const { random } = world
  const organization = random.pick(world.organizations)
  const sends = random.chance(0.25) ? random.whole(2, 4) : 1
  const requests = Array.from({ length: sends }, () => {
    const rows = rowsOf(world, organization)
    return sends > 1 ? ofKnown(organization, rows) : rows
  })
  const token = random.pick(organization.feedTokens)
  // All arrive together, in this order; rows stored by the first are duplicates in the second.
  const answers = await Promise.all(requests.map((rows) => post(world, token, rows)))
  const isTold = !random.chance(0.15)
  for (const [index, rows] of requests.entries())
    judge(world, organization, token, rows, answers[index])
  // The answer was lost: the sender repeats the request, and nothing is stored twice.
  if (isTold) return
  for (const rows of requests) {
    const again = received(rows, world.clock.now())
    judge(world, organization, token, again, await post(world, token, again))
  }
}

/** Later requests would overtake a request that must create an object. */
function ofKnown({ objects }: ModelOrganization, rows: readonly SentRow[]): SentRow[] {
  return rows.filter((row) => objects.some(({ ident }) => ident === row.ident))
}

/** A sender that disconnects before it has sent all, or before the answer: it sends everything again. */
export async function sendAndBreakOff(world: World): Promise<void> {
  const { random } = world
  const organization = random.pick(world.organizations)
  const token = organization.feedTokens.find((each) => opens(each, world.clock.now()))
  if (token === undefined) return
  const rows = rowsOf(world, organization, 0)
  const request = requestOf(token, rows)
  const connection = world.deployment.feed.connect()
  const isWhole = random.chance(0.5)
  connection.write(isWhole ? request : request.subarray(0, random.whole(1, request.length - 1)))
  for (let turns = random.whole(0, 3); turns > 0; turns -= 1) await new Promise(setImmediate)
  connection.destroy()
  await world.deployment.feed.settled()
  await repeat(world, [{ organization, rows, acknowledged: new Set() }])
}

/** Sent rows with an unknown result, unless they were acknowledged. */
export type Sent = {
  organization: ModelOrganization
  rows: SentRow[]
  acknowledged: ReadonlySet<SentRow>
}

/**
 * Starts requests and awaits none of them; `heard` returns those acknowledged until it is called. All are of the
 * objects' first trackers: the model could not know which of two unacknowledged fixes has replaced the other.
 */
export function sendUnheard(world: World, many: number): { heard(): Sent[] } {
  const { random } = world
  const waiting = Array.from({ length: many }, () => {
    const organization = random.pick(world.organizations)
    const token = organization.feedTokens.find((each) => opens(each, world.clock.now()))
    const rows = token === undefined ? [] : ofKnown(organization, rowsOf(world, organization, 0))
    const sent: { answer?: HttpAnswer | undefined } = {}
    if (token !== undefined) {
      const connection = world.deployment.feed.connect()
      connection.write(requestOf(token, rows))
      void readAnswer(connection).then((answer) => {
        sent.answer = answer
      })
    }
    return { organization, rows, sent }
  })
  return {
    heard: () =>
      waiting.map(({ organization, rows, sent }) => ({
        organization,
        rows,
        acknowledged: acknowledgedBy(sent.answer, rows),
      })),
  }
}

/** Without rejected rows: a row older than the retention period may be accepted when sent again. */
function acknowledgedBy(answer: HttpAnswer | undefined, rows: SentRow[]): Set<SentRow> {
  if (answer?.status !== 200) return new Set()
  const { rejects } = JSON.parse(answer.body).result as { rejects: { index: number }[] }
  const rejected = new Set(rejects.map(({ index }) => rows[index]))
  return new Set(rows.filter((row) => !rejected.has(row)))
}

/**
 * Sends everything again, row by row, as senders without an answer do. Acknowledged rows are stored. The answer
 * shows whether the others were stored before: both are right.
 */
export async function repeat(world: World, sent: readonly Sent[]): Promise<void> {
  for (const { organization, rows, acknowledged } of sent) {
    const token = organization.feedTokens.find((each) => opens(each, world.clock.now()))
    if (token === undefined) continue
    for (const row of rows) {
      const [again] = received([row], world.clock.now())
      const answer = await post(world, token, [again!])
      const tally = answer?.status === 200 ? tallyIn(answer) : undefined
      if (acknowledged.has(row) && tally?.stored === 1) {
        world.fault('what was acknowledged was not stored')
      }
      const object = organization.objects.find(({ ident }) => ident === row.ident)
      const isNews = object === undefined || !stands(object, row)
      if (tally?.duplicate === 1 && isNews) {
        makeObjects(organization, [row])
        takeRow(organization, row, world.clock.now())
      }
      judge(world, organization, token, [again!], answer)
    }
  }
}

function stands({ fixes }: ModelObject, { fix }: SentRow): boolean {
  return fixes.some(({ timeDevice, hdop }) => timeDevice === fix.timeDevice && hdop === fix.hdop)
}

/** Sends these with a valid token, if the organization has one. */
export async function sendRows(
  world: World,
  organization: ModelOrganization,
  rows: readonly SentRow[],
): Promise<void> {
  const token = organization.feedTokens.find((each) => opens(each, world.clock.now()))
  if (token === undefined) return
  judge(world, organization, token, rows, await post(world, token, rows))
}

/** `only`: the tracker; random if undefined. */
function rowsOf(world: World, organization: ModelOrganization, only?: TrackerIndex): SentRow[] {
  const { random } = world
  const many = random.chance(0.1) ? random.whole(11, 25) : random.whole(1, 6)
  const rows = Array.from({ length: many }, () => oneRow(world, organization, only))
  if (random.chance(0.6)) rows.sort((a, b) => a.fix.timeDevice - b.fix.timeDevice)
  // The network, or an impatient tracker, has sent some twice.
  if (random.chance(0.2)) rows.push(...rows.slice(0, random.whole(1, rows.length)))
  return rows
}

function oneRow(world: World, organization: ModelOrganization, only?: TrackerIndex): SentRow {
  const { random, clock } = world
  const now = clock.now()
  const object = organization.objects.length > 0 ? random.pick(organization.objects) : undefined
  const isStranger = object === undefined || random.chance(0.04)
  const ident = isStranger ? `stranger ${random.whole(1, 2)}` : object.ident
  // Without conflicts if positions are deleted: the content of a deleted one is unknown.
  const isSecond = organization.retentionDays === null && random.chance(0.25)
  const tracker = only ?? (isSecond ? 1 : 0)
  const row = packetOf(ident, tracker, timeOf(world, object, now), now)
  const odd = random.next()
  if (odd < 0.03) row.broken = random.pick(BROKEN)
  else if (odd < 0.05) Object.assign(row.fix, { latitude: 0, longitude: 0 })
  else if (odd < 0.07) row.fix.latitude = 95
  return row
}

/** In order, late, repeated, ahead, or too far ahead; usually on whole seconds, so that some coincide. */
function timeOf({ random }: World, object: ModelObject | undefined, now: number): number {
  const newest = object?.fixes.at(-1)?.timeDevice
  const kind = random.next()
  if (kind < 0.5 && newest !== undefined && newest < now) {
    return Math.min(now, newest + random.whole(1, 90) * 1000)
  }
  if (kind < 0.6 && object !== undefined && object.fixes.length > 0) {
    return random.pick(object.fixes).timeDevice
  }
  if (kind < 0.63) return now + random.whole(1, 20) * HOUR_MS
  if (kind < 0.66) return now + 24 * HOUR_MS + random.whole(0, 2)
  if (kind < 0.7) return now - random.whole(1, 60) * 24 * HOUR_MS
  if (kind < 0.85) return now - random.whole(0, 20) * MINUTE_MS - random.whole(0, 3)
  return Math.floor(now / 1000) * 1000 - random.whole(0, 600) * 1000
}

function received(rows: readonly SentRow[], now: number): SentRow[] {
  return rows.map((row) => ({ ...row, fix: { ...row.fix, timeServer: now } }))
}

async function post(
  world: World,
  token: ModelKey,
  rows: readonly SentRow[],
): Promise<HttpAnswer | undefined> {
  world.counts.packets += rows.length
  return world.deployment.feed.exchange(requestOf(token, rows))
}

function requestOf(token: ModelKey, rows: readonly SentRow[]): Buffer {
  const headers = { 'x-feed-token': token.secret }
  return requestBytes('POST', '/feed/v1/positions', headers, JSON.stringify(rows.map(rowJson)))
}

type Tally = {
  stored: number
  duplicate: number
  conflict: number
  rejected: number
  rejects: { index: number; reason: string }[]
}

function tallyIn(answer: HttpAnswer): Tally {
  return (JSON.parse(answer.body) as { result: Tally }).result
}

function judge(
  world: World,
  organization: ModelOrganization,
  token: ModelKey,
  rows: readonly SentRow[],
  answer: HttpAnswer | undefined,
): void {
  const now = world.clock.now()
  const status = opens(token, now) ? 200 : 401
  if (answer?.status !== status) {
    const logged = world.deployment.failures().join('; ')
    world.fault(
      `a packet request was answered ${answer?.status ?? 'nothing'}, not ${status} (${logged})`,
    )
    return
  }
  if (status === 401) return
  makeObjects(organization, rows)
  const expected: Tally = { stored: 0, duplicate: 0, conflict: 0, rejected: 0, rejects: [] }
  const outcomes: Outcome[] = rows.map((row) => takeRow(organization, row, now))
  for (const [index, outcome] of outcomes.entries()) {
    if (typeof outcome === 'string') expected[outcome] += 1
    else {
      expected.rejected += 1
      expected.rejects.push({ index, reason: outcome.rejected })
    }
  }
  const tally = tallyIn(answer)
  const rejects = tally.rejects.map(({ index, reason }) => ({ index, reason }))
  const heard = JSON.stringify({ ...tally, rejects })
  if (heard !== JSON.stringify(expected)) {
    world.fault(`rows became ${heard}, not ${JSON.stringify(expected)}`)
  }
}
