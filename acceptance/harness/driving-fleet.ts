import assert from 'node:assert/strict'
import type { Json } from './fleetgate.ts'
import type { Server } from './server.ts'

/** As the console asks it, by a token. */
export type Admin = (method: string, path: string, body?: object) => Promise<Json>

export function adminOf(server: Server, headers: Record<string, string>): Admin {
  return async (method, path, body) => {
    const answer = await fetch(`${server.admin}/admin/v1${path}`, {
      method,
      headers: {
        Origin: server.admin,
        ...headers,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Has the vehicles of a demo fleet report what they did at eleven in the morning of a working day, as if it
 * were now: by night they sleep, and nobody wants to look at that. Returns how many reported.
 */
export async function reportAsByDay(server: Server, admin: Admin, feedToken: string) {
  const now = Date.now()
  const noon = workingDay(now) + 10 * HOUR_MS
  const { items } = await admin('GET', '/organizations/1/objects')
  const rows: object[] = []
  for (const { id, ident } of items) {
    const range = `from=${instant(noon - 10 * 60_000)}&to=${instant(noon)}`
    const { points } = await admin('GET', `/organizations/1/objects/${id}/track?${range}`)
    for (const [time, longitude, latitude, speed, angle] of points.slice(-20)) {
      // One second later than the next report of the demo itself would be.
      const at = now - noon + time + 1_000
      rows.push({
        ident,
        time_device: at,
        longitude,
        latitude,
        speed,
        angle,
        hdop: 0.9,
        satellites: 11,
      })
    }
  }
  const answer = await fetch(`${server.feed}/feed/v1/positions`, {
    method: 'POST',
    headers: { 'x-feed-token': feedToken },
    body: JSON.stringify(rows),
  })
  assert.equal(answer.status, 200)
  return rows.length
}

/** The first moment of the last whole working day, UTC. */
function workingDay(now: number): number {
  let day = Math.floor(now / DAY_MS) * DAY_MS - DAY_MS
  while ([0, 6].includes(new Date(day).getUTCDay())) day -= DAY_MS
  return day
}

function instant(time: number): string {
  return new Date(time).toISOString()
}
