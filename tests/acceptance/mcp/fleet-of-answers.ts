import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resultOf } from '../harness/envelope.ts'
import type { Fleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Sender, senderOf } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { drive, MINUTE, SITE, untilDerived } from '../trips/records-fleet.ts'

/** Half past midnight on 4 May 2026 in Madrid, where 3 May is not over in UTC. */
export const NIGHT = Date.UTC(2026, 4, 3, 22, 30)
/** Vehicles that come and go, and how often each does. */
export const VISITORS = 30
export const STAYS = 18

const HOUR = 60 * MINUTE
const RING = [
  [1.99, 40.99],
  [2.01, 40.99],
  [2.01, 41.01],
  [1.99, 41.01],
  [1.99, 40.99],
]

/** A van that is silent from 09:00 to 19:00 UTC, and is found 50 km away, where it stays for 10 minutes. */
function silentVan(ident: string): Json[] {
  const at = Date.UTC(2026, 4, 5, 8, 30)
  const row = (minutes: number, longitude: number) => ({
    ...{ ident, latitude: 40, longitude, speed: 0, ignition: false },
    time_device: new Date(at + minutes * MINUTE).toISOString(),
  })
  const before = Array.from({ length: 31 }, (_, minute) => row(minute, 3))
  const after = Array.from({ length: 11 }, (_, minute) => row(630 + minute, 3.6))
  return [...before, ...after]
}

/** In the depot for five minutes of each half hour from noon UTC on, and far away otherwise. */
function comesAndGoes(ident: string): Json[] {
  const start = Date.UTC(2026, 4, 6, 12)
  return Array.from({ length: STAYS }, (_, stay) =>
    [0, 5, 10, 20].map((minute, i) => ({
      ...{ ident, latitude: i < 2 ? 41 : 41.2, longitude: 2, speed: 40 },
      time_device: new Date(start + stay * (HOUR / 2) + minute * MINUTE).toISOString(),
    })),
  ).flat()
}

/**
 * An organization in Madrid: M-1 with the plate B-XY 12, which drives 2 km at half past midnight; M-2, which drives 3 km at
 * noon of that day; a silent van; a site `Depot` and a geofence `DEPOT`; and visitors, if asked for.
 */
export async function fleetOfAnswers(
  fleet: Fleet,
  hasVisitors = false,
): Promise<Sender & { ids: number[] }> {
  const sender = await senderOf(
    fleet,
    fleet.take(),
    '--create-objects',
    '--time-zone',
    'Europe/Madrid',
    '--window-requests',
    '1000',
  )
  const org = ['--org', String(sender.id)]
  const idents = ['M-1', 'M-2', 'M-3']
  // Another fleet of the file may own them.
  for (const ident of idents) {
    const to = ['--orgs', String(sender.id), '--if-owned', 'share']
    await fleet.json('routing', 'waiting', 'assign', ident, ...to)
  }
  await sender.post([
    ...drive('M-1', NIGHT),
    ...drive('M-2', NIGHT + 12 * HOUR, 3_000),
    ...silentVan('M-3'),
  ])
  if (hasVisitors) {
    for (let visitor = 0; visitor < VISITORS; visitor += 1) {
      idents.push(`visitor-${visitor}`)
      await sender.post(comesAndGoes(`visitor-${visitor}`))
    }
  }
  const objects = resultOf(await sender.get('/objects')) as { id: number; ident: string }[]
  const ids = idents.map((ident) => objects.find((each) => each.ident === ident)!.id)
  await fleet.json('objects', 'update', ...org, String(ids[0]), '--plate-number', 'B-XY 12')
  const folder = temporaryFolder()
  const sites = join(folder, 'sites.csv')
  writeFileSync(sites, `${Object.keys(SITE).join()}\n${Object.values(SITE).join()}\n`)
  await fleet.json('import', 'sites', ...org, sites)
  const geofences = join(folder, 'geofences.geojson')
  const geometry = { type: 'Polygon', coordinates: [RING] }
  writeFileSync(
    geofences,
    JSON.stringify({ type: 'Feature', properties: { name: 'DEPOT' }, geometry }),
  )
  await fleet.json('import', 'geofences', ...org, geofences)
  return { ...sender, ids }
}

export { untilDerived }
