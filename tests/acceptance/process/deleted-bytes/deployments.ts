import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { askPostgres } from '../../../../packages/server/testing/servers/ask-postgres.ts'
import { startPostgres } from '../../../../packages/server/testing/servers/postgres.ts'
import { startRedis } from '../../../../packages/server/testing/servers/redis.ts'
import { type Deployment, inFolder } from '../../harness/deployment.ts'
import { fleetgate, fleetgateJson } from '../../harness/fleetgate.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'
import { FORMS, type Values } from './byte-forms.ts'

/** A deployment whose files are searched, and whose backup is restored. */
export type SearchedDeployment = {
  deployment: Deployment
  /** The files and folders with all that it writes. Backups are elsewhere. */
  places: readonly string[]
  /** Whether a server may run while it shrinks. */
  shrinksUnderServer: boolean
  values(): Promise<Values>
  /** Writes all that is in memory into the files, and samples rows, as PostgreSQL does from time to time. */
  flush(): Promise<void>
  /** Forgets the states that Redis has written before. */
  rewriteLogs(): Promise<void>
  backUp(): Promise<void>
  /** Puts the backup into its place, and has deleted ranges deleted again. No server runs. */
  restore(): Promise<void>
  stop(): Promise<void>
}

const SELECTS = FORMS.map(
  ([table, column]) =>
    [
      `${table}.${column}`,
      `SELECT ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL`,
    ] as const,
)

export function onFolder(): SearchedDeployment {
  const root = temporaryFolder()
  const folder = join(root, 'data')
  const copy = join(temporaryFolder(), 'copy')
  return {
    deployment: inFolder(folder),
    places: [root],
    shrinksUnderServer: false,
    async values() {
      using database = new DatabaseSync(join(folder, 'fleetgate.db'), { readOnly: true })
      return new Map(
        SELECTS.map(([name, select]) => [
          name,
          database
            .prepare(select)
            .all()
            .map(({ value }) => bufferOf(value)),
        ]),
      )
    },
    async flush() {},
    async rewriteLogs() {},
    async backUp() {
      await fleetgateJson(['backup', '--data', folder, copy])
    },
    async restore() {
      replace(folder, copy)
    },
    async stop() {},
  }
}

/** A PostgreSQL of its own, and a Redis that writes a log, as the deployment of `deploy` has. */
export async function onServers(): Promise<SearchedDeployment> {
  const postgres = await startPostgres({ full_page_writes: 'on', max_wal_size: '256MB' })
  const dump = temporaryFolder()
  const redis = await startRedis('--dir', dump, '--appendonly', 'yes')
  const database = await postgres.database()
  const data = join(postgres.folder, 'data')
  const copy = join(temporaryFolder(), 'copy')
  const args = ['--database', database]
  return {
    deployment: { args, serveArgs: ['--redis', redis.patientUrl], folder: undefined, database },
    places: [data, join(postgres.folder, 'log'), dump],
    shrinksUnderServer: true,
    async values() {
      const values = new Map<string, Buffer[]>()
      for (const [name, select] of SELECTS) {
        const rows = await askPostgres<{ value: unknown }>(database, select)
        values.set(
          name,
          rows.map(({ value }) => bufferOf(value)),
        )
      }
      return values
    },
    async flush() {
      await askPostgres(database, 'ANALYZE')
      await askPostgres(database, 'CHECKPOINT')
    },
    async rewriteLogs() {
      const client = redis.client()
      await client.bgrewriteaof()
      while (/aof_rewrite_in_progress:1/.test(await client.info('persistence'))) await pause(50)
    },
    async backUp() {
      await postgres.halt('fast')
      replace(copy, data)
      await postgres.start()
    },
    async restore() {
      const erased = join(temporaryFolder(), 'erasures.ndjson')
      writeFileSync(erased, (await fleetgate(['positions', 'export-erased', ...args])).stdout)
      await postgres.halt('fast')
      replace(data, copy)
      await postgres.start()
      await redis.client().flushall()
      await fleetgateJson(['positions', 'import-erased', erased, ...args])
    },
    async stop() {
      await redis.stop()
      await postgres.stop()
    },
  }
}

/** With their owners and modes. */
function replace(folder: string, by: string): void {
  rmSync(folder, { recursive: true, force: true })
  execFileSync('cp', ['-a', by, folder])
}

function bufferOf(value: unknown): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : Buffer.from(value as Uint8Array)
}
