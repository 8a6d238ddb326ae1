import { after } from 'node:test'
import { SHARED } from './for-a-run.ts'
import { newDatabase, type PostgresServer, startPostgres } from './postgres.ts'

let own: Promise<PostgresServer> | undefined
let databases = 0

// At the top level, so that it runs after all tests of the file.
after(async () => {
  await (await own)?.stop()
})

/** The URL of a new, empty database, on the run's server or on this file's own. */
export async function emptyDatabase(): Promise<string> {
  const name = nextName()
  return newDatabase(await serverUrl(), name)
}

/** The URL of a copy of a database on the same server. Nobody may be connected to the original. */
export async function databaseLike(original: string): Promise<string> {
  const name = nextName()
  const { pathname } = new URL(original)
  return newDatabase(await serverUrl(), name, pathname.slice(1))
}

function nextName(): string {
  databases += 1
  return `test_${process.pid}_${databases}`
}

/** The URL of the run's server, or of this file's own. */
export async function serverUrl(): Promise<string> {
  const shared = process.env[SHARED.postgres]
  if (shared !== undefined) return shared
  own ??= startPostgres()
  return (await own).url
}
