import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import type { FinishedProgram } from '../../../packages/server/testing/command-line/printed.ts'
import type { Answer, RequestOptions } from './client.ts'
import { HANDED, REAL, type Time } from './clock.ts'
import { type Deployment, inFolder } from './deployment.ts'
import type { Json } from './fleetgate.ts'
import {
  commandLine,
  type FleetRecord,
  makeFleet,
  type Size,
  TEMPLATE_VARIABLE,
  type Template,
  WHOLE_SIZE,
} from './make-fleet.ts'
import { newDeployment, onCopyOf } from './new-deployment.ts'
import { type Organization, organizationOf, patient, withRoom } from './organization.ts'
import { seen } from './seen.ts'
import { type Server, type ServerProcess, serve } from './server.ts'
import { serveHere } from './server-here.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { forgetWindows } from './windows.ts'

export type FleetOrganization = Organization & FleetRecord

export type Fleet<Served extends Server = Server> = {
  deployment: Deployment
  /** The current server; `restart` replaces it. */
  server: Served
  full: FleetOrganization[]
  /** Hands out an organization that no other code of the file calls. */
  take(): FleetOrganization
  /** Sends a request as one of the organizations that were not taken and that have room in their window. */
  ask(path: (organization: FleetOrganization) => string, options?: RequestOptions): Promise<Answer>
  /**
   * Runs a command on the same data alongside the running server, and waits until the server has seen its changes.
   */
  run(...args: string[]): Promise<FinishedProgram>
  json(...args: string[]): Promise<Json>
  /** Ends the server, in order unless `end` is given, and starts it again. */
  restart(end?: (server: Served) => Promise<unknown>): Promise<void>
}

/** `folder`: the place of the data. `isAlone`: there are no organizations but those of the size. */
type Place = { folder?: string; isAlone?: boolean }

/** Where servers run: how one starts, and how time passes for it. */
type Host<Served extends Server> = {
  start(deployment: Deployment, args: string[]): Promise<Served>
  time: Time
}

/** Enough for any one file that does not share the fleet of a run. */
const SMALL_SIZE = { full: 2, plain: 10 }

/**
 * Starts a server in this process with a fleet for this file; it stops after the tests. Addresses come from packets
 * alone, so answers depend only on the fleet's data. Without a size, there are as many organizations as any file takes,
 * and their requests wait for room.
 */
export function startFleet(size?: Size, args: string[] = [], place: Place = {}): Promise<Fleet> {
  return startOn({ start: serveHere, time: HANDED }, size, args, place)
}

/** The same, with a process for the server. */
export function startFleetProcess(
  size: Size,
  args: string[] = [],
  place: Place = {},
): Promise<Fleet<ServerProcess>> {
  return startOn({ start: serve, time: REAL }, size, args, place)
}

async function startOn<Served extends Server>(
  { start, time }: Host<Served>,
  givenSize: Size | undefined,
  moreArgs: string[],
  place: Place,
): Promise<Fleet<Served>> {
  const serveArgs = ['--geocoder', 'off', ...moreArgs]
  const size = givenSize ?? (process.env[TEMPLATE_VARIABLE] ? WHOLE_SIZE : SMALL_SIZE)
  const { deployment, records } = await layDown(size, place)
  const organizations = records.map((record) => {
    const organization = organizationOf(record, () => fleet.server.api, time)
    return givenSize === undefined ? patient(organization) : organization
  })
  const full = organizations.slice(0, size.full)
  const plain = organizations.slice(size.full)
  const fleet: Fleet<Served> = {
    deployment,
    server: await start(deployment, serveArgs),
    full,
    take() {
      // `ask` uses organizations from the start of the list. The last one still has its whole window.
      const taken = plain.pop()
      if (taken === undefined) throw new Error('no organization is left: ask startFleet for more')
      return taken
    },
    async ask(path, options) {
      const organization = await withRoom(plain)
      return organization.get(path(organization), options)
    },
    async run(...args) {
      const { runHere } = await commandLine()
      const ended = await runHere([...args, ...deployment.args])
      await seen(deployment)
      return ended
    },
    async json(...args) {
      const { jsonHere } = await commandLine()
      const printed = await jsonHere([...args, ...deployment.args])
      await seen(deployment)
      return printed
    },
    async restart(end = (server) => server.stop()) {
      await end(fleet.server)
      const ids = records.map(({ id }) => id)
      await forgetWindows(deployment, ids)
      fleet.server = await start(deployment, serveArgs)
    },
  }
  after(() => fleet.server.stop())
  return fleet
}

type LaidDown = { deployment: Deployment; records: FleetRecord[] }

/** Makes a fleet of this size: a copy of the shared fleet of the run, if there is one. */
async function layDown(size: Size, { folder, isAlone = false }: Place): Promise<LaidDown> {
  const template = process.env[TEMPLATE_VARIABLE]
  if (template === undefined || isAlone) {
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

async function copyOf(
  template: string,
  database: string | undefined,
  folder = join(temporaryFolder(), 'data'),
): Promise<Deployment> {
  if (database !== undefined) return onCopyOf(database)
  cpSync(join(template, '../data'), folder, { recursive: true })
  return inFolder(folder)
}
