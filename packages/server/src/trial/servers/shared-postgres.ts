import { after } from 'node:test'
import { SHARED } from './for-a-run.ts'
import { newDatabase, type PostgresServer, startPostgres } from './postgres.ts'

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
  const shared = process.env[SHARED.postgres]
  if (shared !== undefined) return shared
  own ??= startPostgres()
  return (await own).url
}
