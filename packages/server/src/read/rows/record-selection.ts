import type { RecordType } from '../../base/domain/item-rules.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import {
  type Organization,
  type ShownFrom,
  shownFrom,
  shownFromIn,
} from '../../base/domain/organization.ts'
import { keyOf } from '../../base/domain/record.ts'
import type { LevelEntries } from '../../engine/journeys/levels/level-digests.ts'
import type {
  OwnedRecord,
  RecordOffset,
  RecordProgress,
  RecordQuery,
  RecordStore,
} from '../../engine/store/record-store.ts'
import type { Call } from '../call.ts'
import {
  type AskedAttributes,
  ATTRIBUTES,
  boundTo,
  LEVELS,
} from '../parameters/attribute-parameters.ts'
import { SKIP_UNPAID } from '../parameters/choices.ts'
import { MIN_DURATION, PAGE_ROWS, RECORDS_LIMIT } from '../parameters/number-parameters.ts'
import { GEOFENCES, ONLY_IDS, ownIds, SITES } from '../parameters/object-parameters.ts'
import { CURSOR, pageCursors } from '../parameters/page-cursor.ts'
import { type Asked, type Parameter, parameterSet } from '../parameters/parameter.ts'
import { RECORDS_RANGE } from '../parameters/time-range.ts'
import { type Refusal, recordsNotDerived } from '../refusal.ts'
import { holdUntil, lookUntil } from './held-call.ts'

/*
 * The records that a request asks for: its parameters and cursor, the page, and how far records are derived.
 */

/** A parameter that a type of records does not have. */
function without<Value>(value: Value): Parameter<Value> {
  return { described: {}, single: [], read: () => value, refusals: [] }
}

const ANY_PLACE = without(undefined) as typeof GEOFENCES
const ANY_DURATION = without(0)
const NO_ATTRIBUTES: Parameter<AskedAttributes> = without(null)

/** The parameters of each type of records, with the cursor still sealed. */
export const RECORDS = {
  trips: recordsBy(ANY_PLACE, ANY_PLACE, ANY_DURATION, ATTRIBUTES),
  stops: recordsBy(ANY_PLACE, ANY_PLACE, MIN_DURATION, ATTRIBUTES),
  visits: recordsBy(GEOFENCES, SITES, MIN_DURATION, NO_ATTRIBUTES),
  levels: recordsBy(ANY_PLACE, ANY_PLACE, MIN_DURATION, LEVELS),
}
export type RecordsQuery = Asked<typeof RECORDS.visits>

function recordsBy(
  geofences: typeof GEOFENCES,
  sites: typeof SITES,
  minDurationSeconds: Parameter<number>,
  attributes: Parameter<AskedAttributes>,
) {
  return parameterSet(
    {
      range: RECORDS_RANGE,
      ids: ONLY_IDS,
      geofences,
      sites,
      minDurationSeconds,
      attributes,
      limit: RECORDS_LIMIT,
      cursor: CURSOR,
      skipsExhausted: SKIP_UNPAID,
    },
    [
      'range',
      'limit',
      'cursor',
      'minDurationSeconds',
      'attributes',
      'ids',
      'geofences',
      'sites',
      'skipsExhausted',
    ],
  )
}

/** The request that a cursor continues. The cursor is valid for no other. */
export type PagedRecords = { organization: number; type: RecordType; asked: RecordsQuery }

export const RECORDS_CURSORS = pageCursors<PagedRecords, RecordOffset>(
  ['object', 'start', 'kind', 'place'],
  ({ organization, type, asked }) => {
    const { range, ids, geofences, sites, minDurationSeconds } = asked
    const selection = JSON.stringify([range, ids, geofences, sites, minDurationSeconds])
    return `records ${organization} ${type} ${selection}${boundTo(asked.attributes)} `
  },
)

/** The objects that an organization has. */
type Own = Pick<ReadonlyMap<number, { readonly object: MonitoredObject }>, 'has' | 'get'>

/** `next`: the key of the last record. Null: there is no page after it. */
export type RecordsPage = {
  readonly rows: readonly OwnedRecord[]
  readonly next: RecordOffset | null
}

/**
 * The query of a page of the asked records, which begins after a record. `levels`: those whose changes are asked for. Null:
 * other records are. A refusal if no asked object is own.
 */
export function selectRecords(
  organization: Organization,
  type: RecordType,
  asked: RecordsQuery,
  {
    own,
    after,
    now,
    levels,
  }: { own: Own; after: RecordOffset | null; now: number; levels: LevelEntries | null },
): (RecordQuery & { shownFrom: ShownFrom }) | Refusal {
  const { range, ids, limit, minDurationSeconds } = asked
  const objects = ids === 'all' ? null : ownIds(ids, own)
  if (objects !== null && 'status' in objects) return objects
  return {
    type,
    objects,
    after,
    limit: limit ?? PAGE_ROWS,
    // Hide all expired records, purged already or not.
    range: { from: Math.max(range.from, shownFrom(organization, undefined, now)), to: range.to },
    shownFrom: shownFromIn(organization, own, now),
    places: levels === null ? placesOf(asked) : placesOfLevels(levels),
    minDuration: minDurationSeconds * 1_000,
  }
}

/** The changes of these levels alone. */
export function placesOfLevels(levels: LevelEntries): NonNullable<RecordQuery['places']> {
  return { geofences: [], sites: [], attributes: levels.map(({ id }) => id) }
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

/**
 * How far the records of an organization are derived. The first request starts the derivation, and waits for it if
 * the history is short. Undefined: they are not derived at all yet. `at` is 0 while the history is derived.
 */
export async function recordProgress(
  records: Pick<RecordStore, 'progress' | 'want'>,
  organization: number,
): Promise<RecordProgress | undefined> {
  const look = progressOf(records, organization)
  return (await look()) ?? lookUntil(look, isComplete, MAX_FIRST_WAIT_MS)
}

/** Reads how far records are derived. The first read starts their derivation. */
function progressOf(records: Pick<RecordStore, 'progress' | 'want'>, organization: number) {
  let isWanted = false
  return async (): Promise<RecordProgress | undefined> => {
    const progress = (await records.progress([organization])).get(organization)
    if (progress === undefined && !isWanted) await records.want(organization)
    isWanted = true
    return progress
  }
}

function isComplete(progress: RecordProgress | undefined): progress is RecordProgress {
  return progress !== undefined && progress.at > 0
}

/** Waits until records are derived for the first time, because no answer has all rows before. Returns their progress. */
export async function untilDerived(call: Call): Promise<RecordProgress | Refusal> {
  const { api, organization } = call
  const progress = await holdUntil(call, progressOf(api.records, organization.id), isComplete)
  if (progress !== undefined && 'status' in progress) return progress
  return isComplete(progress) ? progress : recordsNotDerived(await shareDerived(call))
}

/** More than the tasks that come before the one of the history. */
const SOME_TASKS = 200
/** Some objects or places are left. */
const MAX_SHARE = 0.99

/** The share of the objects that the first derivation has passed. It takes them by id. */
async function shareDerived({ api, organization, fleet }: Call): Promise<number> {
  const tasks = await api.views.view(organization.id, (view) => view.tasks(SOME_TASKS))
  const history = tasks?.find(({ kind }) => kind === 'history')
  if (history === undefined) return MAX_SHARE
  const ids = [...(await fleet.objects()).keys()]
  const passed = ids.filter((id) => id <= history.after).length
  return Math.min(MAX_SHARE, Math.floor((100 * passed) / Math.max(1, ids.length)) / 100)
}
