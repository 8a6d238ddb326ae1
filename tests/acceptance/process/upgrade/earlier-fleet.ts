import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { StoreLocation } from '../../../../packages/server/src/run/compose.ts'
import { type Deployment, inFolder, isEmbedded } from '../../harness/deployment.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { inDatabase } from '../../harness/in-database.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

/*
 * A fleet as the last version with version 1 of the rules of movement stored it, with derived records and coverage.
 * `fleet.db.gz` is its data folder, `fleet.sql.gz` its database, and `fleet.json.gz` has its packets: those that are stored and
 * the later ones. Each tracker is in a situation for which the rules changed. Half of the positions are in blocks.
 */

/** Milliseconds since the epoch, degrees, km/h. */
type Packet = readonly [
  time: number,
  latitude: number,
  longitude: number,
  speed: number | null,
  ignition: boolean | null,
]

type Tracker = {
  ident: string
  /** The number of its packets that are stored. */
  sent: number
  fixes: Packet[]
}

export type Earlier = {
  deployment: Deployment
  location: StoreLocation
  organization: number
  trackers: readonly Tracker[]
  /** The files of its places, by kind. */
  files: Record<string, string>
}

const unzipped = (name: string) => gunzipSync(readFileSync(join(import.meta.dirname, name)))

/** Makes a deployment of its data. */
export async function earlierFleet(): Promise<Earlier> {
  const { organization, packets, places } = JSON.parse(unzipped('fleet.json.gz').toString())
  const folder = temporaryFolder()
  const files = Object.entries(places).map(([kind, content]) => {
    const file = join(folder, `${kind}.geojson`)
    writeFileSync(file, JSON.stringify(content))
    return [kind, file] as const
  })
  const deployment = isEmbedded ? folderOf(temporaryFolder()) : await database()
  const location = isEmbedded
    ? { folder: deployment.folder! }
    : { database: deployment.database!, allowDataLoss: true }
  return {
    ...{ deployment, location, organization },
    ...{ trackers: packets, files: Object.fromEntries(files) },
  }
}

function folderOf(folder: string): Deployment {
  writeFileSync(join(folder, 'fleetgate.db'), unzipped('fleet.db.gz'))
  return inFolder(folder)
}

async function database(): Promise<Deployment> {
  const { newDeployment } = await import('../../harness/new-deployment.ts')
  const deployment = await newDeployment()
  await inDatabase(deployment.database!, async (client) => {
    await client.query(unzipped('fleet.sql.gz').toString())
    // Redis separates deployments by their secrets.
    await client.query('UPDATE public.deployment SET secret = $1', [randomBytes(32)])
  })
  return deployment
}

/** Packets as rows of the feed. `live`: those that are not stored. */
export function rowsOf({ trackers }: Earlier, which: 'all' | 'live'): Json[] {
  return trackers.flatMap(({ ident, sent, fixes }) =>
    fixes
      .slice(which === 'live' ? sent : 0)
      .map(([time, latitude, longitude, speed, ignition]) => ({
        ...{ ident, time_device: new Date(time).toISOString(), latitude, longitude },
        ...(speed !== null && { speed }),
        ...(ignition !== null && { ignition }),
      })),
  )
}
