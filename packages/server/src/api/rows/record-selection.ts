import { setTimeout as pause } from 'node:timers/promises'
import type { RecordType } from '../../domain/items.ts'
import { type Organization, shownFrom } from '../../domain/organization.ts'
import { keyOf } from '../../domain/record.ts'
import type {
  OwnedRecord,
  RecordOffset,
  RecordProgress,
  RecordQuery,
  RecordStore,
} from '../../store/record-store.ts'
import { PAGE_ROWS } from '../parameters/numbers.ts'
import { ownIds } from '../parameters/object-ids.ts'
import type { RecordsQuery } from '../parameters/records-query.ts'
import type { Refusal } from '../refusal.ts'

/** The ids of the objects that an organization has. */
type Own = { has(id: number): boolean }

/** `next`: the key of the last record. Null: there is no page after it. */
export type RecordsPage = {
  readonly rows: readonly OwnedRecord[]
  readonly next: RecordOffset | null
}

/** The query of a page of the asked records, which begins after a record. A refusal if no asked object is own. */
export function selectRecords(
  organization: Organization,
  type: RecordType,
  asked: RecordsQuery,
  { own, after, now }: { own: Own; after: RecordOffset | null; now: number },
): RecordQuery | Refusal {
  const { range, ids, limit, minDurationSeconds } = asked
  const objects = ids === undefined ? null : ownIds(ids, own)
  if (objects !== null && 'status' in objects) return objects
  return {
    type,
    objects,
    after,
    limit: limit ?? PAGE_ROWS,
    // Hide all expired records, purged already or not.
    range: { from: Math.max(range.from, shownFrom(organization, now)), to: range.to },
    places: placesOf(asked),
    minDuration: minDurationSeconds * 1_000,
  }
}

/** With one list only, visits to the other type of places are not asked for. */
function placesOf({ geofences, sites }: RecordsQuery): RecordQuery['places'] {
  if (geofences === undefined && sites === undefined) return null
  return { geofences: geofences ?? [], sites: sites ?? [] }
}

export async function readRecordsPage(
  records: Pick<RecordStore, 'page'>,
  organization: number,
  query: RecordQuery,
  own: Own,
): Promise<RecordsPage> {
  const { range, limit } = query
  if (range.from > range.to) return { rows: [], next: null }
  // One more shows whether there is another page.
  const found = await records.page(organization, { ...query, limit: limit + 1 })
  const last = found.length > limit ? found[limit - 1]! : null
  return {
    rows: found.slice(0, limit).filter(({ object }) => own.has(object)),
    next: last && { object: last.object, ...keyOf(last.record) },
  }
}

const MAX_FIRST_WAIT_MS = 5_000
const LOOK_EVERY_MS = 50

/**
 * How far the records of an organization are derived. The first request has them derived, and waits for a short
 * history. Undefined: they are not derived at all yet. `at` is 0 while the history is derived.
 */
export async function recordProgress(
  records: Pick<RecordStore, 'progress' | 'want'>,
  organization: number,
): Promise<RecordProgress | undefined> {
  const read = async () => (await records.progress([organization])).get(organization)
  let progress = await read()
  if (progress !== undefined) return progress
  await records.want(organization)
  for (let waited = 0; !progress?.at && waited < MAX_FIRST_WAIT_MS; waited += LOOK_EVERY_MS) {
    await pause(LOOK_EVERY_MS)
    progress = await read()
  }
  return progress
}
