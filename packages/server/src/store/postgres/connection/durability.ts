import type pg from 'pg'

/** The server can lose confirmed commits in a crash, although its disk works. */
export class DataLossPossible extends Error {
  override name = 'DataLossPossible'
}

/**
 * Every value but `off` makes COMMIT wait for this server's disk. The stronger values wait for replicas as
 * well, and stay as the operator has set them. The session also sets an unchanged value: otherwise a reload
 * of the server's settings could turn it off.
 */
const COMMIT_DURABLY = `
  SELECT set_config('synchronous_commit',
    coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)`

/** Call it for each new session that writes: the default of its role or database may be `off`. */
export async function commitDurably(client: pg.ClientBase): Promise<void> {
  await client.query(COMMIT_DURABLY)
}

const SERVER = `
  SELECT current_setting('fsync') AS fsync,
    EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "hasWorkers"`

/** A worker commits by its own settings. The settings of the coordinator's session do not reach it. */
const WORKERS = `
  SELECT nodename || ':' || nodeport AS name, success, result
  FROM run_command_on_workers(
    $$SELECT current_setting('fsync') || ' ' || current_setting('synchronous_commit')$$)`

type Server = { fsync: string; hasWorkers: boolean }
type Worker = { name: string; success: boolean; result: string }

/** Rejects with `DataLossPossible` where the server, or a worker of its Citus that answers, does not sync commits. */
export async function assertDurable(client: pg.ClientBase): Promise<void> {
  const [server] = (await client.query<Server>(SERVER)).rows
  if (server!.fsync === 'off') throw dataLoss('PostgreSQL', 'fsync')
  if (!server!.hasWorkers) return
  for (const { name, success, result } of (await client.query<Worker>(WORKERS)).rows) {
    // Organizations on the other workers are served without one that does not answer.
    if (!success) continue
    const [fsync, synchronousCommit] = result.split(' ')
    if (fsync === 'off') throw dataLoss(`The Citus worker ${name}`, 'fsync')
    if (synchronousCommit === 'off') {
      throw dataLoss(`The Citus worker ${name}`, 'synchronous_commit')
    }
  }
}

function dataLoss(server: string, setting: string): DataLossPossible {
  return new DataLossPossible(
    `${server} runs with ${setting} = off, so a crash can lose acknowledged data: set ${setting} = on there, or accept the loss with --allow-data-loss`,
  )
}
