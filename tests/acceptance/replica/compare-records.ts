import assert from 'node:assert/strict'
import { resultOf } from '../harness/envelope.ts'
import type { Json } from '../harness/fleetgate.ts'
import { dropExpired, RECORD_TYPES, type RecordType } from '../harness/following/replica.ts'
import type { Follower } from './follower.ts'
import { ask, type TrialFleet } from './trial-fleet.ts'

const EVER = 'from_time=2000-01-01&to_time=2100-01-01&limit=10000'

/** Compares the records of a replica with the lists. Returns the lists that it keeps. */
export async function assertRecords(
  fleet: TrialFleet,
  { query, copy: { replica } }: Follower,
  objects: readonly Json[],
): Promise<Partial<Record<RecordType, Json[]>>> {
  const lists: Partial<Record<RecordType, Json[]>> = {}
  if (!fleet.hasRecords || objects.length === 0) return lists
  const known = query.from === 'now' ? fleet.model.retentionDays : replica.retentionDays
  dropExpired(replica, fleet.host.now(), known)
  for (const type of RECORD_TYPES) {
    if (query.types !== null && !query.types.includes(`${type}s`)) continue
    const ids = objects.map(({ id }) => id)
    const answer = await ask(fleet, `/${type}s?${EVER}&ids=${ids.join()}`)
    const listed: Json[] = resultOf(answer)
    assert.notEqual(answer.headers['x-records-until'], undefined)
    const kept = [...replica.records[type].values()].map((record) => followed(record, listed))
    // A client that started now knows only what has changed since.
    const has = ({ id }: Json) => replica.records[type].has(id)
    const expected = query.from === 'now' ? listed.filter(has) : listed
    assert.deepEqual(byId(kept), byId(expected), `${type}s`)
    lists[type] = listed
  }
  return lists
}

function byId(rows: readonly Json[]): Json[] {
  return rows.toSorted((a, b) => a.id - b.id)
}

/** A kept record with the names of now. */
function followed(record: Json, listed: readonly Json[]): Json {
  const row = listed.find(({ id }) => id === record.id)
  if (row === undefined) return record
  const { ident, name, place_name } = row
  return { ...record, ident, name, ...('place_name' in record && { place_name }) }
}
