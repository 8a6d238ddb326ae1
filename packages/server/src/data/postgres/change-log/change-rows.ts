import {
  type ChangeEntries,
  NO_ENTRIES,
  packEntries,
} from '../../../engine/store/change-entries.ts'
import { newEpoch } from '../../../engine/store/change-log.ts'
import { statement } from '../connection/connection-pool.ts'
import type { Connection } from '../connection/database.ts'

/*
 * This file has the rows of the change log, and the epoch of their numbers.
 */

const ADD = statement(`
  INSERT INTO change_log (organization, seq, at, entries) VALUES ($1, $2, $3, $4)
`)

/** Adds a change to the log. The statement need not be awaited. */
export function addChange(
  { run }: Connection,
  organization: number,
  seq: number,
  at: number,
  entries: Partial<ChangeEntries>,
): void {
  const packed = Buffer.from(packEntries({ ...NO_ENTRIES, ...entries }, at))
  run(ADD, [organization, seq, at, packed])
}

/**
 * Names the database and its history: another cluster, database or timeline has another name. A restored backup has a
 * new timeline or is in another database, so it gets an epoch of its own. The statement names no table of ours, so
 * that the coordinator of a distributed engine answers it and not one of its workers.
 */
const HERE = statement(`
  SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8)) AS here
`)
const READ = statement('SELECT epoch, epoch_of AS "epochOf" FROM change_epoch')
const SET = statement('UPDATE change_epoch SET epoch = $1, epoch_of = $2')
const RENEW = statement('UPDATE change_epoch SET epoch = $1, epoch_of = $2 WHERE epoch_of <> $2')

/** Null if the database has the epoch of another one. */
export async function readEpoch({ query }: Pick<Connection, 'query'>): Promise<string | null> {
  const [[stored], [place]] = await Promise.all([
    query<{ epoch: string; epochOf: string }>(READ),
    query<{ here: string }>(HERE),
  ])
  return stored!.epochOf === place!.here ? stored!.epoch : null
}

/** Gives the database an epoch of its own, if it has that of another one. */
export async function renewEpoch({ query, run }: Connection): Promise<void> {
  const [place] = await query<{ here: string }>(HERE)
  await run(RENEW, [newEpoch(), place!.here])
}

/** Continues the epoch of the deployment whose log was copied. */
export async function setEpoch({ query, run }: Connection, epoch: string): Promise<void> {
  const [place] = await query<{ here: string }>(HERE)
  await run(SET, [epoch, place!.here])
}
