import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { emptyDatabase } from '../../packages/server/src/trial/servers/shared-postgres.ts'
import { clusterUrl, redisUrl } from '../../packages/server/src/trial/servers/shared-redis.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** On what the suite runs, by the environment's `DEPLOYMENT`: a data folder, or servers. */
const KINDS = ['embedded', 'postgres-redis', 'postgres-cluster'] as const
export type Kind = (typeof KINDS)[number]

export const KIND = readKind(process.env.DEPLOYMENT ?? 'embedded')
export const isEmbedded = KIND === 'embedded'

/** For a test of what a data folder alone has. */
export const embeddedOnly = { skip: isEmbedded ? false : 'it is about data folders' }

/** Where one Fleetgate keeps what it keeps. */
export type Deployment = {
  /** What every command is given to find it. */
  args: string[]
  /** What `serve` is given besides. */
  serveArgs: string[]
  /** The data folder, where that is what it is. */
  folder: string | undefined
  /** The database, where that is what it is. */
  database: string | undefined
}

/** An empty one. */
export async function newDeployment(): Promise<Deployment> {
  return isEmbedded ? inFolder(temporaryFolder()) : onServers(await emptyDatabase())
}

export function inFolder(folder: string): Deployment {
  return { args: ['--data', folder], serveArgs: [], folder, database: undefined }
}

/** Of a database that was copied from another: what is shared in Redis goes by its secret. */
export async function onCopy(database: string): Promise<Deployment> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query('UPDATE deployment SET secret = $1', [randomBytes(32)])
  await client.end()
  return onServers(database)
}

export async function onServers(database: string): Promise<Deployment> {
  const redis = KIND === 'postgres-cluster' ? await clusterUrl() : await redisUrl()
  return {
    args: ['--database', database],
    serveArgs: ['--redis', redis],
    folder: undefined,
    database,
  }
}

function readKind(name: string): Kind {
  const kind = KINDS.find((each) => each === name)
  if (kind === undefined) throw new Error(`DEPLOYMENT is ${KINDS.join(', ')}, not '${name}'`)
  return kind
}
