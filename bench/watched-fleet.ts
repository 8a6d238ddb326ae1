import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS } from '../packages/server/src/base/domain/time/time.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import type { Checkout } from './checkouts.ts'
import { type ChildFleetgate, startFleetgate } from './child-server.ts'
import { connect } from './connection.ts'
import { addFedFleet } from './fed-fleet.ts'
import { nativeRequest, packetAt } from './feed-packets.ts'
import { openStream } from './open-stream.ts'
import { threadSeconds } from './processor.ts'
import { isSmall } from './report.ts'
import { getRequest } from './requests.ts'

export const OBJECTS = isSmall ? 1_000 : 20_000
const BATCH = 100
const FIRST_BATCH = 500
const SETTLE_MS = 1_000
const WARM_UPS = 5
const ASKED = 20

/** A server with one organization, all of whose objects have a position. */
export type WatchedFleet = AsyncDisposable & {
  server: ChildFleetgate
  organization: number
  /** The cookie of an operator's session. */
  cookie: string
  token: string
  /** By the number of the vehicle. */
  ids: number[]
  /** The next packet: all vehicles take turns. */
  next: number
}

export type WatchedPhase = {
  /** The processor time of the server in a second. */
  processorMs: number
  /** To all streams, in a second. */
  bytes: number
  /** To each stream, in a second. */
  events: number
  /** From the packet on its way to the server until the first stream has its position. */
  latenciesMs: number[]
  missing: number
}

/** `shared`: undefined for a data folder. */
export async function fillWatched(
  { openStore, secrets, bin }: Checkout,
  folder: string,
  shared: { database: string; redis: string } | undefined,
): Promise<WatchedFleet> {
  mkdirSync(folder)
  const now = Date.now()
  const store = await openStore(shared ?? { folder })
  const { organization, token, ids } = await addFedFleet(store, OBJECTS, {}, secrets)
  const cookie = await openSession(store, secrets, now)
  await store.close()
  const place =
    shared === undefined ? undefined : ['--database', shared.database, '--redis', shared.redis]
  const server = await startFleetgate(folder, place, bin)
  await sendFirst(server.feedPort, token)
  const dispose = () => server[Symbol.asyncDispose]()
  return {
    ...{ server, organization, cookie, token, ids, next: OBJECTS },
    [Symbol.asyncDispose]: dispose,
  }
}

/** The cookie of an operator's session. Nobody knows the password. */
async function openSession(store: Store, secrets: Checkout['secrets'], now: number) {
  const [expiresAt, password] = [now + DAY_MS, 'no hash']
  const { secret: _, ...link } = secrets.newSecret(secrets.ONE_TIME_URL)
  await store.access.inviteFirst({ ...link, name: '', expiresAt }, now)
  const person = { email: 'bench@example.com', name: 'Bench', password }
  const account = await store.access.acceptAsNewcomer(link.hash, person, now)
  if (account === null || typeof account === 'string') throw new Error('there is an account')
  const { secret, ...session } = secrets.newSecret(secrets.SESSION)
  const opened = {
    ...session,
    name: '',
    expiresAt,
    account: account.id,
    isSignOn: false,
    sid: null,
  }
  await store.access.openSession(opened, { password }, now)
  return `fleetgate_session=${secret}`
}

async function sendFirst(port: number, token: string): Promise<void> {
  const connection = await connect(port)
  for (let from = 0; from < OBJECTS; from += FIRST_BATCH) {
    const vehicles = Array.from({ length: FIRST_BATCH }, (_, i) => from + i)
    await new Promise<void>((sent) => {
      connection.send(nativeRequest(token, vehicles, 0), () => sent())
    })
  }
  connection.close()
}

/** Sends packets to the server while streams are open. */
export async function runPhase(
  fleet: WatchedFleet,
  packetsASecond: number,
  streams: number,
  seconds: number,
): Promise<WatchedPhase> {
  const { server, organization, cookie } = fleet
  const request = getRequest(`/admin/v1/organizations/${organization}/live`, { cookie })
  const sentAt = new Map<string, number>()
  const latenciesMs: number[] = []
  let [bytes, events] = [0, 0]
  const first = eachEvent((text) => {
    events += 1
    const now = performance.now()
    for (const [id, , , , , , time] of JSON.parse(text).items) {
      const key = `${id} ${time}`
      const at = sentAt.get(key)
      if (at === undefined) continue
      latenciesMs.push(now - at)
      sentAt.delete(key)
    }
  })
  const opened = []
  for (let each = 0; each < streams; each += 1) {
    const came = (text: string) => {
      bytes += text.length
      if (each === 0) first(text)
    }
    opened.push(await openStream(server.adminPort, request, came))
  }
  await sleep(SETTLE_MS)
  const [usedBefore, bytesBefore, eventsBefore] = [threadSeconds(server.pid), bytes, events]
  if (packetsASecond === 0) await sleep(seconds * 1_000)
  else await sendPackets(fleet, packetsASecond, seconds, sentAt)
  await sleep(500)
  const used = threadSeconds(server.pid) - usedBefore
  for (const stream of opened) stream.close()
  return {
    processorMs: (used * 1_000) / seconds,
    bytes: (bytes - bytesBefore) / seconds,
    events: (events - eventsBefore) / seconds,
    latenciesMs,
    missing: streams === 0 ? 0 : sentAt.size,
  }
}

/** Sends batches of vehicles that take turns. `sentAt`: by the object's id and the time of its packet. */
export async function sendPackets(
  fleet: WatchedFleet,
  packetsASecond: number,
  seconds: number,
  sentAt: Map<string, number>,
): Promise<void> {
  const connection = await connect(fleet.server.feedPort)
  const begun = performance.now()
  for (let sent = 0; sent < packetsASecond * seconds; sent += BATCH) {
    const dueAt = begun + (sent / packetsASecond) * 1_000
    await sleep(Math.max(0, dueAt - performance.now()))
    const [from, step] = [fleet.next % OBJECTS, Math.floor(fleet.next / OBJECTS)]
    fleet.next += BATCH
    const vehicles = Array.from({ length: BATCH }, (_, i) => from + i)
    const time = packetAt(0, step).timeDevice
    const now = performance.now()
    for (const vehicle of vehicles) sentAt.set(`${fleet.ids[vehicle]} ${time}`, now)
    await new Promise<void>((answered, refused) => {
      connection.send(nativeRequest(fleet.token, vehicles, step), (status) => {
        if (status === 200) answered()
        else refused(new Error(`a batch was answered ${status}`))
      })
    })
  }
  connection.close()
}

/** Takes the data of each event `objects`. */
function eachEvent(take: (data: string) => void): (text: string) => void {
  let part = ''
  return (text) => {
    const blocks = (part + text).split('\n\n')
    part = blocks.pop()!
    for (const block of blocks) {
      const at = block.indexOf('event: objects\ndata: ')
      if (at !== -1) take(block.slice(at + 'event: objects\ndata: '.length))
    }
  }
}

export type Answered = { processorMs: number; bytes: number }

/** One answer of a list or a count that the console asks for now and then: `below` the organization. */
export async function measureAnswer(fleet: WatchedFleet, below: string): Promise<Answered> {
  const { server, organization, cookie } = fleet
  const url = `http://127.0.0.1:${server.adminPort}/admin/v1/organizations/${organization}${below}`
  let bytes = 0
  let usedBefore = 0
  for (let asked = -WARM_UPS; asked < ASKED; asked += 1) {
    if (asked === 0) usedBefore = threadSeconds(server.pid)
    const answer = await fetch(url, { headers: { cookie } })
    if (!answer.ok) throw new Error(`${url} was answered ${answer.status}`)
    bytes = (await answer.arrayBuffer()).byteLength
  }
  return { processorMs: ((threadSeconds(server.pid) - usedBefore) * 1_000) / ASKED, bytes }
}
