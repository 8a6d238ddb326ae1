import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { type Clock, formatInstant } from '../../../base/domain/time/time.ts'
import { recording } from './recording.ts'
import { drivenFixes } from './replay.ts'

export type Driving = {
  /** Stops driving and aborts the request under way. */
  stop(): Promise<void>
}

/** How often the vehicles report. */
const STEP_MS = 5_000

/** The longest span in one request: about 1,500 positions of the fleet, after the computer slept. */
const SPAN_MS = 10 * 60_000

/**
 * Makes the demo vehicles report to a feed every 5 seconds what they drive from `until` on (milliseconds
 * since the epoch), by a clock that is `ahead` of the system's. Unacknowledged positions are sent again
 * with the next step, and `failed` gets the reason. Does not keep the process alive.
 */
export function startDriving(
  feed: FeedAccess,
  clock: Clock,
  { until: since, ahead }: { until: number; ahead: number },
  failed: (error: unknown) => void,
): Driving {
  const stopping = new AbortController()
  const { signal } = stopping
  let acknowledged = since
  let reporting: Promise<void> | undefined

  async function report(): Promise<void> {
    for (const now = clock.now(); acknowledged < now; ) {
      const until = Math.min(now, acknowledged + SPAN_MS)
      const reports = reportsOf(acknowledged, until, ahead)
      if (reports.length > 0) await postPositions(feed, reports, signal)
      acknowledged = until
    }
  }

  async function step(): Promise<void> {
    await report().catch((error) => {
      if (!signal.aborted) failed(error)
    })
    reporting = undefined
  }

  const timer = setInterval(() => {
    reporting ??= step()
  }, STEP_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await reporting
    },
  }
}

/** The vehicles' positions after `from`, up to and including `to`. */
function reportsOf(from: number, to: number, ahead: number): Report[] {
  return [...recording().vehicles.keys()].flatMap((ident) =>
    Array.from(drivenFixes(ident, from, to, ahead), (fix) => ({ ident, fix })),
  )
}

/** A feed's address, such as `http://127.0.0.1:7071`, and its token. */
export type FeedAccess = { origin: string; token: string }

export type Report = { ident: string; fix: Fix }

/** After this time without an answer the request is sent again. */
const TIMEOUT_MS = 20_000

/**
 * Sends positions to a feed as a tracker would. Rejects if they were not acknowledged. They may or may
 * not be stored then, so send them again.
 */
export function postPositions(
  { origin, token }: FeedAccess,
  reports: readonly Report[],
  signal: AbortSignal,
): Promise<void> {
  const url = new URL('/feed/v1/positions', origin)
  const options = {
    method: 'POST',
    headers: { 'x-feed-token': token, 'content-type': 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    // A new connection for each request, so that none is open when the server drains.
    agent: false as const,
    // The process talks to itself, and the certificate holds its public name.
    rejectUnauthorized: false,
  }
  const send = url.protocol === 'https:' ? requestTls : requestPlain
  return new Promise((resolve, reject) => {
    const sent = send(url, options, (answer) => {
      answer.on('error', reject).on('end', () => {
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`the feed answered ${answer.statusCode}`))
      })
      answer.resume()
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(reports.map(rowOf)))
  })
}

/** A row of the feed's own format. */
function rowOf({ ident, fix }: Report) {
  return {
    ident,
    time_device: formatInstant(fix.timeDevice),
    latitude: fix.latitude,
    longitude: fix.longitude,
    altitude: fix.altitude,
    angle: fix.angle,
    speed: fix.speed,
    hdop: fix.hdop,
    gps_level: fix.gpsLevel,
    ignition: fix.ignition,
    odometer: fix.odometer,
    engine_hours: fix.engineHours,
    address: fix.address,
    attributes: Object.fromEntries((fix.attributes ?? []).map(({ name, value }) => [name, value])),
  }
}
