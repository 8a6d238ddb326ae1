import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import { type Install, makeInstall } from '../clients/install.ts'
import type { Finding, Trial } from '../part.ts'
import { besideUndisturbed } from './undisturbed.ts'

const VERTICES = 150_002
/** Packets of the attacking organization, and positions of each. */
const PACKETS = 20
const POSITIONS = 50
const EVERY_MS = 1_000
const STEP_MS = 60_000
/** Records are asked for this often: an organization has only a rate window. */
const LOOK_MS = 4_000
const PATIENCE_MS = 60_000
const RECORDS = ['trips', 'stops', 'visits']

type LonLat = [number, number]

/** An organization with two geofences of 150,002 vertices: a circle, and a comb whose teeth cross every position. */
export async function hugeGeofence(trial: Trial): Promise<Finding[]> {
  const folder = join(trial.folder, 'huge-geofence')
  const install = await makeInstall(folder, 0, 0)
  const server = await serve(inFolder(folder), ['--geocoder', 'off'])
  try {
    const found = { trips: 0, stops: 0, visits: 0 } as Record<string, number>
    const others = await besideUndisturbed(
      `two geofences of ${VERTICES.toLocaleString('en')} vertices`,
      server,
      install.others.slice(1),
      async () => {
        await ask(server, install, 'trips')
        await addGeofences(folder, install)
        await sendPositions(server, install)
        await untilDerived(server, install, found)
      },
    )
    return [
      {
        what: `two geofences of ${VERTICES.toLocaleString('en')} vertices: records of their organization`,
        bar: 'trips, stops, and visits to both',
        measured: RECORDS.map((type) => `${found[type]} ${type}`).join(', '),
        met: found.trips! > 0 && found.stops! > 0 && found.visits! >= 2,
      },
      ...others,
    ]
  } finally {
    await server.stop()
  }
}

async function addGeofences(folder: string, { others }: Install): Promise<void> {
  const file = join(folder, '..', 'huge.geojson')
  const features = Object.entries({ Circle: circle(), Comb: comb() }).map(([name, ring]) => ({
    type: 'Feature',
    properties: { name },
    geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]]] },
  }))
  writeFileSync(file, JSON.stringify({ type: 'FeatureCollection', features }))
  const org = String(others[0]!.organization)
  const options = ['--org', org, '--data', folder]
  const { created } = await fleetgateJson(['import', 'geofences', file, ...options])
  if (created !== 2) throw new Error(`${created} geofences were created`)
}

function circle(): LonLat[] {
  return Array.from({ length: VERTICES - 1 }, (_, index): LonLat => {
    const angle = (index / VERTICES) * 2 * Math.PI
    return [decimals(2 + Math.cos(angle), 7), decimals(41 + Math.sin(angle), 7)]
  })
}

/** A strip in the south of the circle, with teeth from there to its north. */
function comb(): LonLat[] {
  const teeth = Array.from({ length: VERTICES - 3 }, (_, index): LonLat => {
    return [decimals(1 + (2 * index) / VERTICES, 7), index % 2 === 0 ? 40.2 : 41.8]
  })
  return [...teeth, [3, 40.1], [1, 40.1]]
}

/** An imported line has 4 MiB at most. */
function decimals(value: number, count: number): number {
  return Number(value.toFixed(count))
}

/** A vehicle that drives, waits for ten minutes, and drives on. */
async function sendPositions(
  { feed }: ServerProcess,
  { others, feedTokens }: Install,
): Promise<void> {
  const headers = { 'x-feed-token': feedTokens[0]! }
  const start = Date.now() - PACKETS * POSITIONS * STEP_MS
  for (let packet = 0; packet < PACKETS; packet += 1) {
    const rows = Array.from({ length: POSITIONS }, (_, row) => {
      const minute = packet * POSITIONS + row
      const isDriving = minute % 20 < 10
      return {
        ident: others[0]!.ident,
        time_device: start + minute * STEP_MS,
        latitude: 40.15,
        longitude: 1.9 + Math.floor(minute / 20) * 0.003 + Math.min(minute % 20, 10) * 0.0003,
        speed: isDriving ? 30 : 0,
      }
    })
    const sent = { method: 'POST', headers, body: JSON.stringify(rows) }
    const { status } = await fetch(`${feed}/feed/v1/positions`, sent)
    if (status !== 200) throw new Error(`positions were answered ${status}`)
    await wait(EVERY_MS)
  }
}

/** Counts the records of each type until all are there. */
async function untilDerived(
  server: ServerProcess,
  install: Install,
  found: Record<string, number>,
): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (performance.now() < giveUpAt) {
    for (const type of RECORDS) found[type] = await ask(server, install, type)
    if (found.trips! > 0 && found.stops! > 0 && found.visits! >= 2) return
    await wait(LOOK_MS)
  }
}

async function ask({ api }: ServerProcess, { others }: Install, type: string): Promise<number> {
  const from = new Date(Date.now() - 30 * 86_400_000).toISOString()
  const range = `from_time=${from}&to_time=${new Date().toISOString()}`
  const headers = { 'x-api-key': others[0]!.key }
  const answer = await fetch(`${api}/public/v1/${type}?${range}`, { headers })
  const { result } = (await answer.json()) as { result?: unknown[] }
  return result?.length ?? 0
}
