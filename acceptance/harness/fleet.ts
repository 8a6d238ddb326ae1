import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Answer, RequestOptions } from './client.ts'
import { objectsCsv, positionsCsv } from './fleet-data.ts'
import { type Ended, fleetgate, fleetgateJson, type Json } from './fleetgate.ts'
import {
  type Organization,
  type OrganizationRecord,
  organizationOf,
  withRoom,
} from './organization.ts'
import { GEOFENCES, ROUTES, SITES } from './places.ts'
import { type Server, serve } from './server.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** How many organizations of each kind: `full` ones also have geofences, routes and sites. */
export type Size = { full: number; plain: number }

/** The largest fleet that any file of the suite asks for. */
export const WHOLE_SIZE: Size = { full: 3, plain: 12 }

/** Names the folder of a fleet that was made before, for all files to copy. */
export const TEMPLATE_VARIABLE = 'ACCEPTANCE_FLEET'

/** What the command line has made of an organization: a key to the API, and one to the feed. */
type FleetRecord = OrganizationRecord & { feedToken: string }
export type FleetOrganization = Organization & FleetRecord

export type Fleet = {
  data: string
  /** The server that runs now; `restart` puts another in its place. */
  server: Server
  full: Organization[]
  /** Hands out an organization that nothing else in the file calls. */
  take(): FleetOrganization
  /** Sends a request as any of the organizations that were not taken and have room in their window. */
  ask(path: (organization: FleetOrganization) => string, options?: RequestOptions): Promise<Answer>
  /** Runs a command on the data folder while the server runs on it. */
  run(...args: string[]): Promise<Ended>
  json(...args: string[]): Promise<Json>
  restart(how: 'stop' | 'kill'): Promise<void>
}

/** Starts a server over a fleet of one's own; it is stopped when the file's tests are over. */
export async function startFleet(
  size: Size,
  serveArgs: string[] = [],
  folder = temporaryFolder(),
): Promise<Fleet> {
  const data = join(folder, 'data')
  const records = await layDown(data, size)
  const organizations = records.map((record) => organizationOf(record, () => fleet.server.api))
  const full = organizations.slice(0, size.full)
  const plain = organizations.slice(size.full)
  const fleet: Fleet = {
    data,
    server: await serve(data, serveArgs),
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
    run: (...args) => fleetgate([...args, '--data', data]),
    json: (...args) => fleetgateJson([...args, '--data', data]),
    async restart(how) {
      await fleet.server[how]()
      fleet.server = await serve(data, serveArgs)
    },
  }
  after(() => fleet.server.stop())
  return fleet
}

async function layDown(data: string, size: Size): Promise<FleetRecord[]> {
  const template = process.env[TEMPLATE_VARIABLE]
  if (template === undefined) return makeFleet(data, size)
  cpSync(join(template, 'data'), data, { recursive: true })
  const records: FleetRecord[] = JSON.parse(
    readFileSync(join(template, 'organizations.json'), 'utf8'),
  )
  const { full, plain } = WHOLE_SIZE
  return [
    ...records.slice(0, size.full),
    ...records.slice(full, full + Math.min(plain, size.plain)),
  ]
}

/** Fills a new data folder through the command line alone. */
export async function makeFleet(data: string, size: Size): Promise<FleetRecord[]> {
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
    records[number] = await makeOrganization(data, files, number, number < size.full)
    await next()
  }
  mkdirSync(data, { recursive: true })
  await Promise.all([next(), next(), next()])
  return records
}

async function makeOrganization(
  data: string,
  files: string,
  number: number,
  full: boolean,
): Promise<FleetRecord> {
  const run = (...args: string[]) => fleetgateJson([...args, '--data', data])
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
