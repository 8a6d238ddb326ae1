import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonHere } from '../../packages/server/src/cli/run-here.ts'
import type { Deployment } from './deployment.ts'
import { objectsCsv, positionsCsv } from './fleet-data.ts'
import type { OrganizationRecord } from './organization.ts'
import { GEOFENCES, ROUTES, SITES } from './places.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** How many organizations of each kind: `full` ones also have geofences, routes and sites. */
export type Size = { full: number; plain: number }

/** The largest fleet that any file of the suite asks for. */
export const WHOLE_SIZE: Size = { full: 3, plain: 12 }

/** Names the description of a fleet that was made before, for all files to copy. */
export const TEMPLATE_VARIABLE = 'ACCEPTANCE_FLEET'

/** What the command line has made of an organization: a key to the API, and one to the feed. */
export type FleetRecord = OrganizationRecord & { feedToken: string }
/** What the run's files share: `fleet.json`, beside it the data folder, or the database that it names. */
export type Template = { records: FleetRecord[]; database: string | undefined }

/** Fills an empty deployment by what the command line does, in this process, and by nothing else. */
export async function makeFleet(deployment: Deployment, size: Size): Promise<FleetRecord[]> {
  const files = temporaryFolder()
  writeFileSync(join(files, 'positions.csv'), positionsCsv())
  writeFileSync(join(files, 'geofences.geojson'), JSON.stringify(GEOFENCES))
  writeFileSync(join(files, 'routes.geojson'), JSON.stringify(ROUTES))
  writeFileSync(join(files, 'sites.geojson'), JSON.stringify(SITES))
  const records: FleetRecord[] = []
  for (let number = 0; number < size.full + size.plain; number += 1) {
    records.push(await makeOrganization(deployment, files, number, number < size.full))
  }
  return records
}

async function makeOrganization(
  { args: place }: Deployment,
  files: string,
  number: number,
  full: boolean,
): Promise<FleetRecord> {
  const run = (...args: string[]) => jsonHere([...args, ...place])
  const name = `Organization ${number}`
  const { id } = await run('org', 'create', '--name', name)
  const org = ['--org', String(id)]
  const { key } = await run('key', 'issue', ...org, '--name', 'acceptance')
  const { token } = await run('feed-token', 'issue', ...org, '--name', 'acceptance')
  const objects = objectIds(number)
  const objectsFile = join(files, `objects-${number}.csv`)
  writeFileSync(objectsFile, objectsCsv(objects))
  await run('import', 'objects', ...org, objectsFile)
  await run('import', 'positions', ...org, join(files, 'positions.csv'))
  if (full) {
    for (const kind of ['geofences', 'routes', 'sites']) {
      await run('import', kind, ...org, join(files, `${kind}.geojson`))
    }
  }
  return { id, name, key, feedToken: token, objects }
}

// Given, so that they need not be asked for: an import keeps an id that is free.
function objectIds(number: number): OrganizationRecord['objects'] {
  const first = (number + 1) * 100
  return { van: first + 1, truck: first + 2, longHaul: first + 3, silent: first + 4 }
}
