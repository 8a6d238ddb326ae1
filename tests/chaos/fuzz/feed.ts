import { API_KEY, FEED_TOKEN, newSecret } from '../../../packages/server/src/base/access/secret.ts'
import { OBJECT_DEFAULTS } from '../../../packages/server/src/base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../../packages/server/src/base/domain/organization.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { seeded } from '../../../packages/server/testing/random.ts'
import type { HttpAnswer } from './answers.ts'
import type { Json } from './description.ts'
import { type FeedRequest, feedBytes, feedRequest, type SentPosition } from './feed-requests.ts'
import { openLine } from './line.ts'
import type { RawShape } from './raw-shapes.ts'
import type { Tally } from './tally.ts'
import type { WatchedServer } from './watched-server.ts'

/** An organization that receives positions. */
export type FeedTenant = {
  key: string
  token: string
  /** Whether it gets only batches, whose rows are all counted. */
  isNative: boolean
  /** Ids of its objects by ident, if an unknown ident creates none. */
  objects: Map<string, number>
}

/** The rows that the feed reported as stored, and those that the history shows. */
export type FeedCount = {
  requests: number
  /** Valid positions that were acknowledged. */
  acknowledged: number
  /** Acknowledged positions that a history lacks, alters or repeats. */
  lost: number
  /** Positions in histories without an acknowledgement. */
  unexplained: number
}

const IDENTS = ['feed-a', 'owntracks/jane/phone']
const HIDDEN_IDENT = 'feed-hidden'
const START = Date.UTC(2025, 0, 1)
const BATCH = 8
const LINES = 4
const CODE = /^FEED\.(\d{3})_\d{3}$/

/** One for batches, one for packets of other senders, and one that creates objects for any ident. */
export async function addFeedTenants(store: Store): Promise<FeedTenant[]> {
  const tenants: FeedTenant[] = []
  for (const [isNative, createObjects] of [
    [true, false],
    [false, false],
    [true, true],
  ] as const) {
    const now = Date.now()
    const settings = { ...ORGANIZATION_DEFAULTS, maximumAge: 36_500, name: 'Feed', createObjects }
    const organization = (await store.organizations.create(settings, now)).id
    const { secret: key, ...storedKey } = newSecret(API_KEY)
    await store.keys.issue(organization, { ...storedKey, name: 'fuzz', expiresAt: null }, now)
    const { secret: token, ...stored } = newSecret(FEED_TOKEN)
    await store.feedTokens.issue(organization, { ...stored, name: 'fuzz', expiresAt: null }, now)
    const idents = createObjects ? [] : [...IDENTS, HIDDEN_IDENT]
    // Its token makes no objects of idents that the others own.
    if (createObjects) await store.objects.ensure(organization, IDENTS, now)
    const put = await store.objects.put(
      organization,
      idents.map((ident) => ({ ...OBJECT_DEFAULTS, name: ident, ident })),
      now,
    )
    const ids = put.map((each) => (each as { id: number }).id)
    const objects = new Map(idents.map((ident, i) => [ident, ids[i]!]))
    tenants.push({ key, token, isNative, objects })
  }
  return tenants
}

/** A valid packet, which no shape that hides it may ever store. */
export function hiddenPacket({ token }: FeedTenant): string {
  const query = `id=${HIDDEN_IDENT}&lat=41&lon=2&timestamp=1735689600`
  return `GET /feed/v1/${token}/osmand?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`
}

/** The sent moments of one tenant and the answers to them. */
type Ledger = { tenant: FeedTenant; sound: SentPosition[]; stored: number; uncertain: number }

export async function fuzzFeed(
  tenants: FeedTenant[],
  shapes: readonly RawShape[],
  server: WatchedServer,
  tally: Tally,
  seed: number,
  wanted: number,
): Promise<FeedCount> {
  const ledgers = tenants.map((tenant): Ledger => ({ tenant, sound: [], stored: 0, uncertain: 0 }))
  const count: FeedCount = { requests: 0, acknowledged: 0, lost: 0, unexplained: 0 }
  let batch = 0
  let moment = 0

  async function playOn(): Promise<void> {
    const line = openLine(server.feedPort)
    while (count.requests < wanted && !server.isGone()) {
      const own = seed + batch++
      const random = seeded('fuzz feed', own)
      if (random.chance(0.05)) {
        const shape = random.pick(shapes)
        const sent = Buffer.from(shape.bytes, 'latin1')
        const { answers, fault } = await line.exchange(sent, [false], false)
        line.close()
        count.requests++
        const status = answers[0]?.status ?? 0
        if (fault !== undefined && fault !== 'more than was asked for') {
          tally.fault({ kind: `feed: ${fault}`, seed: own, sent, detail: shape.name })
        } else if (status >= 500) {
          tally.fault({ kind: 'feed: a 5xx', seed: own, sent, detail: `${shape.name}: ${status}` })
        }
        continue
      }
      const ledger = ledgers[own % ledgers.length]!
      const { token, isNative } = ledger.tenant
      const track = () => positionAt(++moment, random.pick(IDENTS))
      const requests = Array.from({ length: BATCH }, () =>
        feedRequest(token, track, isNative, random),
      )
      const bytes = Buffer.concat(requests.map(feedBytes))
      const heads = requests.map(() => false)
      const { answers, fault, rest } = await line.exchange(bytes, heads, false)
      count.requests += answers.length
      if (fault !== undefined) {
        const detail = `after ${answers.length} answers: ${JSON.stringify(rest)}`
        tally.fault({ kind: `feed: ${fault}`, seed: own, sent: bytes, detail })
      }
      for (const [i, request] of requests.entries()) {
        const answer = answers[i]
        if (answer === undefined) ledger.uncertain += request.rows.length + BATCH
        const found = answer && enter(ledger, request, answer)
        if (found === undefined) continue
        const kind =
          answer!.status >= 500 ? 'feed: a 5xx' : 'feed: another answer than it documents'
        tally.fault({ kind, seed: own, sent: feedBytes(request), detail: found })
      }
    }
    line.close()
  }

  await Promise.all(Array.from({ length: LINES }, playOn))
  // A server that has ended cannot answer; another finding reports its end.
  if (!server.isGone()) for (const ledger of ledgers) await compare(ledger, server, count)
  return count
}

function positionAt(moment: number, ident: string): SentPosition {
  return {
    ident,
    time: START + moment * 1_000,
    latitude: Number((40 + (moment % 99_991) / 1e5).toFixed(5)),
    longitude: Number((2 + (moment % 9_973) / 1e5).toFixed(5)),
  }
}

/** Records the acknowledgement of an answer; returns its fault. */
function enter(ledger: Ledger, request: FeedRequest, answer: HttpAnswer): string | undefined {
  const text = answer.body.toString()
  const summary = `${answer.status} ${text.slice(0, 300)}`
  if (answer.status !== 200) {
    if (isQueueFull(answer, text)) return undefined
    if (request.rows.some((row) => row !== null)) return `sound rows got ${summary}`
    return isRefusal(answer.status, text) ? undefined : summary
  }
  const sound = request.rows.filter((row) => row !== null)
  if (!ledger.tenant.isNative) {
    // A 200 covers both stored and rejected rows.
    ledger.uncertain += request.kind === undefined ? BATCH : request.rows.length - sound.length
    ledger.sound.push(...sound)
    return ['', '[]'].includes(text) ? undefined : summary
  }
  const result = resultIn(text)
  if (result === undefined) return summary
  const { stored, duplicate, conflict, rejected, rejects } = result
  const refused = new Set<number>(rejects.map((each: Json) => each.index))
  if (refused.size !== rejected) return `rejects are not accounted for: ${summary}`
  if (request.rows.some((row, i) => row !== null && refused.has(i))) {
    return `a sound row was rejected: ${summary}`
  }
  const all = stored + duplicate + conflict + rejected
  if (request.kind !== undefined && all !== request.rows.length)
    return `rows are missing: ${summary}`
  ledger.stored += stored
  ledger.sound.push(...sound)
  return undefined
}

function resultIn(text: string): Json {
  try {
    return JSON.parse(text).result
  } catch {
    return undefined
  }
}

/** The feed refuses bodies beyond its memory, stores nothing of them, and sends Retry-After. */
function isQueueFull({ status, headers }: HttpAnswer, text: string): boolean {
  return status === 503 && headers.has('retry-after') && text.includes('"FEED.503_001"')
}

function isRefusal(status: number, text: string): boolean {
  try {
    const { statusCode, errorCode, message, timestamp, ...others } = JSON.parse(text)
    const isCode = CODE.exec(errorCode)?.[1] === `${status}` && statusCode === status
    const isTold = typeof message === 'string' && Number.isFinite(Date.parse(timestamp))
    return status < 500 && isCode && isTold && Object.keys(others).length === 0
  } catch {
    return false
  }
}

/** Compares the histories of a tenant with the acknowledgements. */
async function compare(ledger: Ledger, server: WatchedServer, count: FeedCount): Promise<void> {
  const { tenant, sound, stored, uncertain } = ledger
  count.acknowledged += sound.length
  if (tenant.objects.size === 0) return
  const shown = new Map<string, Json>()
  let rows = 0
  for (const [ident, id] of tenant.objects) {
    for (const row of await historyOf(server, tenant.key, id)) {
      rows++
      shown.set(`${ident} ${Date.parse(row.time_device)}`, row)
    }
  }
  for (const { ident, time, latitude, longitude } of sound) {
    const row = shown.get(`${ident} ${time}`)
    if (row?.latitude !== latitude || row.longitude !== longitude) count.lost++
  }
  const most = tenant.isNative ? stored : sound.length + uncertain
  const least = tenant.isNative ? stored : sound.length
  count.unexplained += Math.max(0, rows - most) + Math.max(0, least - rows)
}

async function historyOf(server: WatchedServer, key: string, id: number): Promise<Json[]> {
  const range = 'from_time=1970-01-01&to_time=9999-12-31'
  const url = `http://127.0.0.1:${server.port}/public/v1/objects/${id}/positions?${range}`
  const answer = await fetch(url, { headers: { 'x-api-key': key } })
  return ((await answer.json()) as Json).result
}
