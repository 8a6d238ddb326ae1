import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import {
  databaseLike,
  emptyDatabase,
} from '../../../../packages/server/testing/servers/shared-postgres.ts'
import { embeddedOnly } from '../../harness/deployment.ts'
import { fleetgateJson, REPOSITORY, start } from '../../harness/fleetgate.ts'
import { temporaryFolder } from '../../harness/temporary-folder.ts'

const PATIENCE_MS = 30_000

/** The launcher takes this Node.js as too old and starts another, which does not. */
const OLDER_NODE = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `delete process.env.NODE_OPTIONS; Object.defineProperty(process.versions, 'node', { value: '20.0.0' })`,
  )}`,
}
const hasPinnedNode = existsSync(join(REPOSITORY, 'node_modules/.bin/node'))
const launched: [name: string, env: Record<string, string>, skip: string | false][] = [
  ['itself', {}, false],
  ['under an older Node.js', OLDER_NODE, hasPinnedNode ? false : 'there is no pinned Node.js'],
]

describe('copy after an immediate kill -9', embeddedOnly, () => {
  const original = temporaryFolder()
  let source: string

  before(async () => {
    source = await emptyDatabase()
    await fleetgateJson(['org', 'create', 'Acme', '--data', original])
    await fleetgateJson(['copy', '--from', original, '--to', source])
  })

  for (const [name, env, skip] of launched) {
    it(`to PostgreSQL continues, killed ${name}`, { skip }, async () => {
      const copy = await databaseLike(source)
      await copyKilledAndAgain(original, copy, copy, env)
    })
    it(`to a folder continues, killed ${name}`, { skip }, async () => {
      await copyKilledAndAgain(source, join(temporaryFolder(), 'copy'), source, env)
    })
  }
})

/**
 * Kills a copy while its statement waits for a lock in the database, starts it again under the same lock, and
 * releases the lock when the second copy waits for it.
 */
async function copyKilledAndAgain(
  from: string,
  to: string,
  database: string,
  env: Record<string, string>,
): Promise<void> {
  const args = ['copy', '--from', from, '--to', to, '--json', '--quiet']
  await using held = await heldTable(database)
  const killed = start(args, env)
  const [first] = await held.waitedForBy(() => true)
  killed.kill('SIGKILL')
  await once(killed, 'exit')

  const again = start(args, env)
  let said = ''
  again.stderr.on('data', (text) => (said += text))
  const ended = once(again, 'exit')
  await Promise.race([ended, held.waitedForBy((pid) => pid !== first)])
  await held.release()
  assert.deepEqual([(await ended)[0], said], [0, ''])
}

/** Locks a table that a copy reads on both sides, after the copy has started. */
async function heldTable(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('BEGIN; LOCK TABLE usage IN ACCESS EXCLUSIVE MODE')

  /** The sessions that wait for the table; resolves when one of them is wanted. */
  async function waitedForBy(isWanted: (pid: number) => boolean): Promise<number[]> {
    const giveUpAt = performance.now() + PATIENCE_MS
    for (;;) {
      const { rows } = await client.query<{ pid: number }>(
        `SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'usage'::regclass`,
      )
      const pids = rows.map(({ pid }) => pid).filter(isWanted)
      if (pids.length > 0) return pids
      if (performance.now() > giveUpAt) throw new Error('no copy waits for the table')
      await pause(5)
    }
  }

  let isHeld = true
  const release = async () => {
    if (isHeld) await client.query('ROLLBACK')
    isHeld = false
  }
  return {
    waitedForBy,
    release,
    async [Symbol.asyncDispose]() {
      await release()
      await client.end()
    },
  }
}
