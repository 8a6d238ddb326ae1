import { after } from 'node:test'
import { newDatabase, type PostgresServer, startPostgres } from './postgres.ts'

/** Where the tests of a run find the server that they share. */
const VARIABLE = 'FLEETGATE_TEST_POSTGRES'

/** Starts the server that all files of a run share (`--test-global-setup`). */
export async function sharePostgres(): Promise<PostgresServer> {
  const server = await startPostgres()
  process.env[VARIABLE] = server.url
  return server
}

let own: Promise<PostgresServer> | undefined
let databases = 0

// Here, where no test is running yet, it is for when all of the file's tests have ended.
after(async () => {
  await (await own)?.stop()
})

/** The URL of a new, empty database, on the run's server or else on one of this file's own. */
export async function emptyDatabase(): Promise<string> {
  const name = nextName()
  return newDatabase(await serverUrl(), name)
}

/** The URL of a copy of a database, to which nobody may be connected, on the same server. */
export async function databaseLike(original: string): Promise<string> {
  const name = nextName()
  const { pathname } = new URL(original)
  return newDatabase(await serverUrl(), name, pathname.slice(1))
}

function nextName(): string {
  databases += 1
  return `test_${process.pid}_${databases}`
}

/** The URL of the server that the run, or else this file, has. */
export async function serverUrl(): Promise<string> {
  const shared = process.env[VARIABLE]
  if (shared !== undefined) return shared
  own ??= startPostgres()
  return (await own).url
}
