/**
 * Draws the README's picture of the demo fleet, out of what a running server answers:
 *
 *     npm start
 *     npx -c 'node docs/images/draw-fleet.ts http://127.0.0.1:7070 <key> 2026-11-20T14:30:00Z'
 *
 * The moment, by default now, is when the vehicles are shown; their tracks begin with its UTC day.
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type FleetMap, mapSvg, type Vehicle } from './fleet-map.ts'

const PICTURE = `${import.meta.dirname}/demo-fleet.svg`

const [origin, key, moment = new Date().toISOString()] = process.argv.slice(2)
if (origin === undefined || key === undefined) {
  console.error('usage: draw-fleet.ts <origin> <key> [<moment>]')
  process.exit(2)
}
const svg = mapSvg(await readFleet(origin, key, new Date(moment)))
writeFileSync(PICTURE, svg)
console.log(`${PICTURE}: ${Math.round(svg.length / 1000)} kB`)

async function readFleet(origin: string, key: string, at: Date): Promise<FleetMap> {
  const get = <Result>(path: string) => result<Result>(`${origin}/public/v1/${path}`, key)
  const objects = await get<{ id: number; name: string }[]>('objects')
  const range = `from_time=${at.toISOString().slice(0, 10)}&to_time=${at.toISOString()}`
  const vehicles: Vehicle[] = []
  for (const { id, name } of objects) {
    vehicles.push({ name, track: await get(`objects/${id}/positions?${range}`) })
  }
  return {
    at,
    vehicles,
    geofences: await get('geofences'),
    routes: await get('routes'),
    sites: await get('sites'),
  }
}

/** Asks as often as it takes: a fleet of 25 does not fit into one window of 10 requests. */
async function result<Result>(url: string, key: string): Promise<Result> {
  for (;;) {
    const response = await fetch(url, { headers: { 'x-api-key': key } })
    const body = (await response.json()) as { result: Result; message: string }
    if (response.ok) return body.result
    if (response.status !== 429) throw new Error(`${url}: ${response.status} ${body.message}`)
    await pause(Number(response.headers.get('retry-after')) * 1000)
  }
}
