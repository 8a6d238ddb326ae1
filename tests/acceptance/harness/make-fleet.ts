import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment } from './deployment.ts'
import { objectsCsv, positionsCsv } from './fleet-data.ts'
import type { Json } from './fleetgate.ts'
import type { OrganizationRecord } from './organization.ts'
import { GEOFENCES, routesOf, SITES } from './places.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The number of organizations of each kind: `full` ones also have geofences, sites, a second route and an attribute. */
export type Size = { full: number; plain: number }

/** Enough for any file with a fleet of its own, and for all files that share one: they take some 130. */
export const WHOLE_SIZE: Size = { full: 8, plain: 160 }

/** Names the file that describes the shared fleet, which all files copy. */
export const TEMPLATE_VARIABLE = 'ACCEPTANCE_FLEET'

/** An organization that the command line created: an API key, a feed token and a route. */
export type FleetRecord = OrganizationRecord & { feedToken: string; route: number }
/**
 * The data that all files of a run share: `fleet.json`, and next to it the data folder, or the database that it
 * names.
 */
export type Template = { records: FleetRecord[]; database: string | undefined }

/** Runs a command and returns what it prints with `--json`. */
type Run = (args: string[]) => Promise<Json>

/** Loads the command line into this process. Most files of a run need none, and loading takes 0.2 s. */
export const commandLine = () => import('../../../packages/server/testing/command-line/run-here.ts')

/** Fills an empty deployment using the command line alone, in this process unless `run` is given. */
export async function makeFleet(
  deployment: Deployment,
  size: Size,
  givenRun?: Run,
): Promise<FleetRecord[]> {
  const run = givenRun ?? (await commandLine()).jsonHere
  const files = temporaryFolder()
  writeFileSync(join(files, 'positions.csv'), positionsCsv())
  writeFileSync(join(files, 'geofences.geojson'), JSON.stringify(GEOFENCES))
  writeFileSync(join(files, 'sites.geojson'), JSON.stringify(SITES))
  const records: FleetRecord[] = []
  for (let number = 0; number < size.full + size.plain; number += 1) {
    const isFull = number < size.full
    records.push(await makeOrganization(deployment, files, number, isFull, run))
  }
  return records
}

async function makeOrganization(
  { args: place }: Deployment,
  files: string,
  number: number,
  full: boolean,
  runCommand: Run,
): Promise<FleetRecord> {
  const run = (...args: string[]) => runCommand([...args, ...place])
  const name = `Organization ${number}`
  // Many tests send positions of years ago.
  const { id } = await run('org', 'create', '--name', name, '--maximum-age', '36500')
  const org = ['--org', String(id)]
  const { key } = await run('key', 'issue', ...org, '--name', 'acceptance')
  const { token } = await run('feed-token', 'issue', ...org, '--name', 'acceptance')
  const objects = objectIds(number)
  const objectsFile = join(files, `objects-${number}.csv`)
  writeFileSync(objectsFile, objectsCsv(objects))
  await run('import', 'objects', ...org, objectsFile)
  await run('import', 'positions', ...org, join(files, 'positions.csv'))
  const route = firstId(number) + 50
  const routesFile = join(files, `routes-${number}.geojson`)
  writeFileSync(routesFile, JSON.stringify(routesOf(route, full)))
  await run('import', 'routes', ...org, routesFile)
  if (full) {
    for (const kind of ['geofences', 'sites']) {
      await run('import', kind, ...org, join(files, `${kind}.geojson`))
    }
    await run('attributes', 'set', `fuel_${number}`, '--is-public', ...org)
  }
  return { id, name, key, feedToken: token, objects, route }
}

// Ids are chosen here, so no request has to look them up: an import keeps an id that is free.
function firstId(number: number): number {
  return (number + 1) * 100
}

function objectIds(number: number): OrganizationRecord['objects'] {
  const first = firstId(number)
  return { van: first + 1, truck: first + 2, longHaul: first + 3, silent: first + 4 }
}
