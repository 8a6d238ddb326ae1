import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SHARED } from './for-a-run.ts'
import { postgresBinaries } from './postgres-binaries.ts'

/** The reason to skip a test; false: the server is there. */
type Missing = string | false

export const withoutPostgres: Missing =
  process.env[SHARED.postgres] === undefined && postgresBinaries().length === 0
    ? 'PostgreSQL is not installed'
    : false

export const withoutRedis: Missing =
  process.env[SHARED.redis] === undefined && !isOnPath('redis-server')
    ? 'redis-server is not installed'
    : false

export const withoutServers: Missing = withoutPostgres || withoutRedis

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)))
}
