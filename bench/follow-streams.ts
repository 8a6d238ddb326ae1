import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildFleetgate } from './child-server.ts'
import { connect } from './connection.ts'
import { osmandRequest, packetAt } from './feed-packets.ts'
import { type OpenedStream, openStream } from './open-stream.ts'
import { isSmall } from './report.ts'
import { getRequest } from './requests.ts'

/** An organization whose packets come with a feed token, and which reads its changes with a key. */
export type Follower = { key: string; token: string }

export type Followed = {
  /** From the acknowledgement of a packet to each stream that gets its position. */
  latenciesMs: number[]
  /** Positions that a stream did not get. */
  missing: number
  packetsPerSecond: number
}

export const STREAMS_OF_EACH = 10
export const VEHICLES = 20
export const PACKETS_A_SECOND = isSmall ? 400 : 2_000
export const SECONDS = isSmall ? 5 : 20
/** The streams are open after this time, or have the last packets, or have ended. */
export const SETTLE_MS = 2_000
const TRACKERS = 512
const TICK_MS = 5

const HAS_PAGE = /^data: /m
/** Each of them in an event of JSON. */
const POSITION_TIME = /"type":"position".*?"time_device":"([^"]+)"/g

export function streamRequest({ key }: { key: string }): Buffer {
  const headers = { 'x-api-key': key, accept: 'text/event-stream' }
  return getRequest('/public/v1/changes?from=now', headers)
}

/** Packets of later steps are newer than those of earlier ones. */
export type Load = { packetsPerSecond: number; firstStep: number }

/**
 * Opens all streams, sends packets on schedule, and waits until each stream has each of them. `measure` runs
 * what it is given while all streams are open and the packets come.
 */
export async function followStreams(
  fleetgate: ChildFleetgate,
  followers: readonly Follower[],
  load: Load,
  measure: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<Followed> {
  const times = new PacketTimes()
  const streams: OpenedStream[] = []
  const got: Set<string>[][] = []
  const begins: Promise<void>[] = []
  for (const [organization, follower] of followers.entries()) {
    got.push([])
    for (let each = 0; each < STREAMS_OF_EACH; each += 1) {
      const seen = new Set<string>()
      got[organization]!.push(seen)
      const begun = Promise.withResolvers<void>()
      begins.push(begun.promise)
      const came = eachEvent((event) => {
        if (HAS_PAGE.test(event)) begun.resolve()
        times.came(organization, seen, event)
      })
      streams.push(await openStream(fleetgate.port, streamRequest(follower), came))
    }
  }
  // The first page says from which change on a stream gets what happens.
  await Promise.all(begins)
  const { sent, packetsPerSecond } = await measure(() =>
    sendPackets(fleetgate.feedPort, followers, load, times),
  )
  await sleep(SETTLE_MS)
  for (const stream of streams) stream.close()
  // Their places are free after this time.
  await sleep(SETTLE_MS)
  const missing = got.flatMap((all, organization) =>
    all.map((seen) => sent[organization]! - seen.size),
  )
  return {
    latenciesMs: times.latenciesMs,
    missing: missing.reduce((sum, each) => sum + each, 0),
    packetsPerSecond,
  }
}

/** When each packet was acknowledged. A stream may get its position before. */
class PacketTimes {
  readonly latenciesMs: number[] = []
  readonly #acknowledged = new Map<string, number>()
  readonly #early = new Map<string, number>()

  acknowledged(organization: number, time: string): void {
    const packet = `${organization} ${time}`
    this.#acknowledged.set(packet, performance.now())
    for (let count = this.#early.get(packet) ?? 0; count > 0; count -= 1) this.latenciesMs.push(0)
  }

  came(organization: number, seen: Set<string>, event: string): void {
    const now = performance.now()
    for (const [, time] of event.matchAll(POSITION_TIME)) {
      if (seen.has(time!)) continue
      seen.add(time!)
      const packet = `${organization} ${time}`
      const at = this.#acknowledged.get(packet)
      if (at === undefined) this.#early.set(packet, (this.#early.get(packet) ?? 0) + 1)
      else this.latenciesMs.push(now - at)
    }
  }
}

function eachEvent(take: (event: string) => void): (text: string) => void {
  let part = ''
  return (text) => {
    const events = (part + text).split('\n\n')
    part = events.pop()!
    for (const event of events) take(event)
  }
}

/** `sent`: the number of packets of each organization. */
async function sendPackets(
  feedPort: number,
  followers: readonly Follower[],
  load: Load,
  times: PacketTimes,
): Promise<{ sent: number[]; packetsPerSecond: number }> {
  const connections = await Promise.all(Array.from({ length: TRACKERS }, () => connect(feedPort)))
  const idle = [...connections]
  const sent = followers.map(() => 0)
  const begun = performance.now()
  let number = 0
  while (performance.now() - begun < SECONDS * 1_000) {
    const due = ((performance.now() - begun) / 1_000) * load.packetsPerSecond
    for (; number < due && idle.length > 0; number += 1) {
      const organization = number % followers.length
      const nth = sent[organization]!
      sent[organization] = nth + 1
      // Each packet of an organization has a time of its own.
      const [vehicle, step] = [nth % VEHICLES, load.firstStep + nth]
      // The connection that was idle longest, so that the server closes none for idleness.
      const connection = idle.shift()!
      const time = new Date(packetAt(vehicle, step).timeDevice).toISOString()
      connection.send(osmandRequest(followers[organization]!.token, vehicle, step), (status) => {
        if (status !== 200) throw new Error(`a packet was answered ${status}`)
        times.acknowledged(organization, time)
        idle.push(connection)
      })
    }
    await sleep(TICK_MS)
  }
  const packetsPerSecond = number / ((performance.now() - begun) / 1_000)
  while (idle.length < TRACKERS) await sleep(TICK_MS)
  for (const connection of connections) connection.close()
  return { sent, packetsPerSecond }
}
