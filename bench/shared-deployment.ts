import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../packages/server/testing/servers/postgres.ts'
import { type RedisServer, startRedis } from '../packages/server/testing/servers/redis.ts'

/** A PostgreSQL and a Redis for a measurement; both end on disposal. */
export type SharedDeployment = AsyncDisposable & {
  database: string
  /** Creates another, empty database. */
  newDatabase(): Promise<string>
  redis: RedisServer
  /** The main process of PostgreSQL. */
  postgresPid: number
  /** A connection for the measurement itself. */
  sql: pg.Client
  /** Runs preparations that nothing measures: commits do not wait for the disk meanwhile. */
  whileLoading<T>(load: () => Promise<T>): Promise<T>
  /** The options of `fleetgate serve` for them. */
  place: string[]
}

/** The settings of a server with some gigabytes; acknowledged data is on disk. */
const SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
}

export async function startSharedDeployment(): Promise<SharedDeployment> {
  await using started = new AsyncDisposableStack()
  const postgres = await startPostgres(SETTINGS)
  started.defer(() => postgres.stop())
  const redis = await startRedis()
  started.defer(() => redis.stop())
  const database = await postgres.database()
  const sql = new pg.Client({ connectionString: database })
  await sql.connect()
  started.defer(() => sql.end())
  async function setCommit(to: 'off' | 'on'): Promise<void> {
    await sql.query(`ALTER SYSTEM SET synchronous_commit = ${to}`)
    await sql.query('SELECT pg_reload_conf()')
  }
  const pidFile = readFileSync(join(postgres.folder, 'data', 'postmaster.pid'), 'utf8')
  const all = started.move()
  return {
    database,
    newDatabase: () => postgres.database(),
    redis,
    postgresPid: Number.parseInt(pidFile, 10),
    sql,
    async whileLoading(load) {
      await setCommit('off')
      const loaded = await load()
      await setCommit('on')
      return loaded
    },
    place: ['--database', database, '--redis', redis.url],
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
