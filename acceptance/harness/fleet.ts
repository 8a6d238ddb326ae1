import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { databaseLike } from '../../packages/server/src/trial/servers/shared-postgres.ts'
import type { Answer, RequestOptions } from './client.ts'
import { type Deployment, inFolder, newDeployment, onCopy } from './deployment.ts'
import { objectsCsv, positionsCsv } from './fleet-data.ts'
import { type Ended, fleetgate, fleetgateJson, type Json } from './fleetgate.ts'
import {
  type Organization,
  type OrganizationRecord,
  organizationOf,
  withRoom,
} from './organization.ts'
import { GEOFENCES, ROUTES, SITES } from './places.ts'
import { seen } from './seen.ts'
import { type Server, serve } from './server.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { forgetWindows } from './windows.ts'

/** How many organizations of each kind: `full` ones also have geofences, routes and sites. */
export type Size = { full: number; plain: number }

/** The largest fleet that any file of the suite asks for. */
export const WHOLE_SIZE: Size = { full: 3, plain: 12 }

/** Names the description of a fleet that was made before, for all files to copy. */
export const TEMPLATE_VARIABLE = 'ACCEPTANCE_FLEET'

/** What the command line has made of an organization: a key to the API, and one to the feed. */
type FleetRecord = OrganizationRecord & { feedToken: string }
export type FleetOrganization = Organization & FleetRecord

export type Fleet = {
  deployment: Deployment
  /** The server that runs now; `restart` puts another in its place. */
  server: Server
  full: Organization[]
  /** Hands out an organization that nothing else in the file calls. */
  take(): FleetOrganization
  /** Sends a request as any of the organizations that were not taken and have room in their window. */
  ask(path: (organization: FleetOrganization) => string, options?: RequestOptions): Promise<Answer>
  /** Runs a command on the same data while the server runs on it, which has seen what it did. */
  run(...args: string[]): Promise<Ended>
  json(...args: string[]): Promise<Json>
  restart(how: 'stop' | 'kill'): Promise<void>
}

/** Starts a server over a fleet of one's own; it is stopped when the file's tests are over. */
export async function startFleet(
  size: Size,
  serveArgs: string[] = [],
  folder?: string,
): Promise<Fleet> {
  const { deployment, records } = await layDown(size, folder)
  const organizations = records.map((record) => organizationOf(record, () => fleet.server.api))
  const full = organizations.slice(0, size.full)
  const plain = organizations.slice(size.full)
  const fleet: Fleet = {
    deployment,
    server: await serve(deployment, serveArgs),
    full,
    take() {
      // From the end: `ask` begins at the other, so that this one's window is still whole.
      const taken = plain.pop()
      if (taken === undefined) throw new Error('no organization is left: ask startFleet for more')
      return taken
    },
    async ask(path, options) {
      const organization = await withRoom(plain)
      return organization.get(path(organization), options)
    },
    async run(...args) {
      const ended = await fleetgate([...args, ...deployment.args])
      await seen(deployment)
      return ended
    },
    async json(...args) {
      const printed = await fleetgateJson([...args, ...deployment.args])
      await seen(deployment)
      return printed
    },
    async restart(how) {
      await fleet.server[how]()
      const ids = records.map(({ id }) => id)
      await forgetWindows(deployment, ids)
      fleet.server = await serve(deployment, serveArgs)
    },
  }
  after(() => fleet.server.stop())
  return fleet
}

type LaidDown = { deployment: Deployment; records: FleetRecord[] }

/** A fleet of this size, as a copy of the one that the run's files share where there is one. */
async function layDown(size: Size, folder?: string): Promise<LaidDown> {
  const template = process.env[TEMPLATE_VARIABLE]
  if (template === undefined) {
    const deployment = folder === undefined ? await newDeployment() : inFolder(folder)
    return { deployment, records: await makeFleet(deployment, size) }
  }
  const { database, records }: Template = JSON.parse(readFileSync(template, 'utf8'))
  const { full, plain } = WHOLE_SIZE
  return {
    deployment: await copyOf(template, database, folder),
    records: [
      ...records.slice(0, size.full),
      ...records.slice(full, full + Math.min(plain, size.plain)),
    ],
  }
}

/** What the run's files share: `fleet.json`, beside it the data folder, or the database that it names. */
export type Template = { records: FleetRecord[]; database: string | undefined }

async function copyOf(
  template: string,
  database: string | undefined,
  folder = join(temporaryFolder(), 'data'),
): Promise<Deployment> {
  if (database !== undefined) return onCopy(await databaseLike(database))
  cpSync(join(template, '../data'), folder, { recursive: true })
  return inFolder(folder)
}

/** Fills an empty deployment through the command line alone. */
export async function makeFleet(deployment: Deployment, size: Size): Promise<FleetRecord[]> {
  const files = temporaryFolder()
  writeFileSync(join(files, 'positions.csv'), positionsCsv())
  writeFileSync(join(files, 'geofences.geojson'), JSON.stringify(GEOFENCES))
  writeFileSync(join(files, 'routes.geojson'), JSON.stringify(ROUTES))
  writeFileSync(join(files, 'sites.geojson'), JSON.stringify(SITES))
  const numbers = Array.from({ length: size.full + size.plain }, (_, i) => i)
  const records: FleetRecord[] = []
  // As many at a time as keep two cores busy while each command waits for the disk.
  const next = async (): Promise<void> => {
    const number = numbers.shift()
    if (number === undefined) return
    records[number] = await makeOrganization(deployment, files, number, number < size.full)
    await next()
  }
  await Promise.all([next(), next(), next()])
  return records
}

async function makeOrganization(
  { args: place }: Deployment,
  files: string,
  number: number,
  full: boolean,
): Promise<FleetRecord> {
  const run = (...args: string[]) => fleetgateJson([...args, ...place])
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
