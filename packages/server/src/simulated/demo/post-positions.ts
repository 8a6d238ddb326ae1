import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Fix } from '../../domain/position/fix.ts'
import { formatInstant } from '../../domain/time/time.ts'

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
