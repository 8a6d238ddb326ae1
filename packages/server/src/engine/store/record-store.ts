import type { StoredAttribute } from '../../base/domain/attributes/attribute-catalogue.ts'
import type { RecordType } from '../../base/domain/item-rules.ts'
import type { ShownFrom } from '../../base/domain/organization.ts'
import type { RejectReason } from '../../base/domain/position/fold-state.ts'
import type {
  Box,
  OpenRecord,
  RecordDelete,
  RecordPut,
  StoredRecord,
} from '../../base/domain/record.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { TrackRow } from '../tracking/track-row.ts'
import type { Expiry } from './position-store.ts'

/**
 * The port to derived records: trips, stops, visits and changes of levels. One process at a time derives them for an
 * organization, from the change log: it reads in a view (`ChangeView`), and `apply` writes what it derived.
 */
export interface RecordStore {
  /** How far the records of these organizations are derived. Without an entry: not at all. */
  progress(organizations: readonly number[]): Promise<Map<number, RecordProgress>>
  /**
   * Has the records of an organization derived from now on, its history first. Records of one that nobody asked
   * for are not derived.
   */
  want(organization: number): Promise<void>
  /** The wanted organizations, ascending. A new one is reported under the topic `records`. */
  wanted(): Promise<number[]>
  /**
   * Wanted organizations with changes or tasks that are not derived yet: all, unless a worker of a Citus cluster is
   * down. `not_failed`: without the tasks that failed, which may fail again.
   */
  due(tasks?: 'all' | 'not_failed'): Promise<number[]>
  /**
   * Renews the leases of a holder for these organizations, and takes those that nobody holds. Returns what it
   * holds of them, ascending. As `WebhookStore.lease`.
   */
  lease(holder: string, forMs: number, organizations: readonly number[]): Promise<number[]>
  /** Gives up all leases of a holder. */
  release(holder: string): Promise<void>
  /**
   * Writes derived records and the progress in one transaction. It is one change of the organization if readers see
   * another record. Returns the new progress, which includes that change if no other change came in between. Null,
   * without a change, if another process holds the lease or the progress is not `work.from`. Does not write for
   * objects that no longer exist.
   */
  apply(organization: number, holder: string, work: DerivedWork): Promise<RecordProgress | null>
  /** The first 20 tasks that failed, by kind and id. */
  failures(organization: number): Promise<RecordTask[]>
  /** A page of records by object, start, kind and place. */
  page(organization: number, query: RecordQuery): Promise<OwnedRecord[]>
  /**
   * Deletes a slice of the records that ended before the moment of their object. `after` and the result are those of
   * `PositionStore.purgeExpired`.
   */
  purgeExpired(organization: number, before: Expiry, after: number): Promise<number | null>
}

/** The derived records of an organization, and the rows that they are derived from, as of one moment. */
export interface RecordView {
  /** Null if nothing was derived yet. */
  progress(): Promise<RecordProgress | null>
  /**
   * All stored rows of an object after a moment, hidden ones too, in order, at most `limit`, with all shifts.
   */
  rows(object: number, after: number, limit: number): Promise<TrackRow[]>
  /** The last rows of an object before a moment, otherwise as `rows`. */
  rowsBefore(object: number, before: number, limit: number): Promise<TrackRow[]>
  /** All rows of each object after its moment. Objects without such rows are left out. */
  laterRows(after: ReadonlyMap<number, number>): Promise<Map<number, TrackRow[]>>
  /** The tails of these objects, as far as they have rows. */
  tails(objects: readonly number[]): Promise<Map<number, Tail>>
  /** The records of the objects that are under way, by object, kind, start and place. */
  openRecords(objects: readonly number[]): Promise<OwnedRecord[]>
  /** The records of an object that overlap a range, by type, each by start. `types`: all by default. */
  recordsIn(object: number, range: TimeRange, types?: readonly RecordType[]): Promise<OwnedRecord[]>
  /** The times and boxes of the trips and stops of an object, by kind and start. */
  segments(object: number): Promise<SegmentSpan[]>
  /** The visits of these objects to any of these places, by object and start. */
  visitsTo(places: PlaceIds, objects: readonly number[]): Promise<OwnedRecord[]>
  /**
   * The newest stop of an object that began at or before a moment and has a checkpoint. `attribute`: the newest such change
   * of this level instead.
   */
  checkpoint(object: number, time: number, attribute?: number): Promise<OwnedRecord | null>
  /** The catalogue of attributes. */
  attributes(): Promise<StoredAttribute[]>
  /** The objects that are folded again slice by slice, as far as their first slice is done. */
  inRefold(): Promise<number[]>
  /** The first tasks by kind and id, at most `limit`. */
  tasks(limit: number): Promise<RecordTask[]>
  /** The records with these ids, by id, as far as they exist. */
  records(type: RecordType, ids: readonly number[]): Promise<OwnedRecord[]>
  /** The records of these objects that overlap a range, by object, start, kind and place, after a place. */
  recordsOf(
    type: RecordType,
    objects: readonly number[],
    range: TimeRange,
    after: RecordOffset | null,
    limit: number,
  ): Promise<OwnedRecord[]>
  /** A page of records by object, start, kind and place. */
  page(query: RecordQuery): Promise<OwnedRecord[]>
  /** Those of the objects that have a selected record, ascending. */
  withRecords(query: RecordSelection & { objects: readonly number[] }): Promise<number[]>
}

/**
 * All changes up to number `seq` are derived, which was committed at `at`. `lastId`: the last id that a
 * record of the organization got.
 */
export type RecordProgress = { seq: number; at: number; lastId: number }

/** A trip or a stop. A null end: it is under way. */
export type SegmentSpan = { start: number; end: number | null; box: Box }

export type OwnedRecord = StoredRecord & { object: number }

/** The next derivation of an object begins with it. */
export type Tail = {
  /** The records under way at the newest derived row. */
  open: readonly OpenRecord[]
  /** The packed progress. */
  progress: Uint8Array
  /** The packed progress of its levels. Absent: it has none. */
  levels?: Uint8Array
}

/** The records of one object that a derivation changed. Keys are distinct after the deletions and moves. */
export type DerivedObject = {
  object: number
  deletes: readonly RecordDelete[]
  puts: readonly RecordPut[]
  /** Null: the object has no rows, and no records. */
  tail: Tail | null
}

/**
 * Work that is done slice by slice alongside the changes. `object`: derive its records again after the time `after`.
 * `geofence`, `site`: derive the visits to it again, for the objects with ids above `after`. `attribute`: the changes of
 * this level. `history`: derive all records of these objects again.
 */
export type RecordTask = {
  kind: TaskKind
  id: number
  after: number
  /** When the derivation failed by a fault of the data or of the program. Null: it did not. */
  failedAt: number | null
  error: string | null
}
/** The fields of a task that did not fail. */
export const NOT_FAILED = { failedAt: null, error: null } as const
const TASK_KINDS = ['object', 'geofence', 'site', 'attribute', 'history'] as const
type TaskKind = (typeof TASK_KINDS)[number]

export type DerivedWork = {
  from: RecordProgress | null
  to: RecordProgress
  objects: readonly DerivedObject[]
  /** New tasks, and tasks that have come further. */
  tasks: readonly RecordTask[]
  doneTasks: readonly Pick<RecordTask, 'kind' | 'id'>[]
}

export type RecordSelection = {
  type: RecordType
  /** A record is selected if it overlaps the range. One that is under way has no end. */
  range: TimeRange
  /** Records of an object that ended before this moment are not shown. Left out: all are. */
  shownFrom?: ShownFrom
  /** Only visits to these places, or changes of these levels. Null: all. */
  places: PlaceIds | null
  /** In ms. */
  minDuration: number
}

export type RecordQuery = RecordSelection & {
  /** Ascending. Null: all of the organization. */
  objects: readonly number[] | null
  after: RecordOffset | null
  limit: number
}

/** The ids of places that have visits, or of attributes that have changes of level. */
export type PlaceIds = {
  readonly geofences: readonly number[]
  readonly sites: readonly number[]
  readonly attributes?: readonly number[]
}

/** The place of a record in the order of a page. */
export type RecordOffset = { object: number; start: number; kind: number; place: number }

/** A day of an object in UTC, counted from 1970-01-01. */
export type DayName = { object: number; day: number }

/** A day that was computed. `content` is the reader's own text; an outdated one does not hold any more. */
export type KeptDay = DayName & {
  content: string
  isOutdated: boolean
  /** The commit time of the newest change that was noted of the day. Null: none was. */
  changedAt: number | null
}

/** The days of an object, from the first to the last one, that change number `seq`, committed at `at`, touched. */
export type TouchedDays = { object: number; from: number; to: number; seq: number; at: number }

/**
 * The state of an organization for which days were kept: after change `seq`. `form` names all else on which their
 * content depends, such as the epoch of the change log.
 */
export type CoverageState = { form: string; seq: number }

/** An object and its packets that were refused for their time. */
export type ClockRejects = { object: number; packets: number }

export type RejectCount = DayName & { reason: RejectReason; packets: number }

/**
 * Computed days of objects, which hold until a change touches them, and the counts of rejected packets. Reports no
 * change.
 */
export interface CoverageStore {
  /** The state to which `advance` has brought the organization. Null: it was never called. */
  state(organization: number): Promise<CoverageState | null>
  /**
   * Notes the changes of the touched days, and marks those as outdated that were kept before; or drops all days, in
   * slices.
   */
  advance(
    organization: number,
    to: CoverageState,
    touched: readonly TouchedDays[] | 'all',
  ): Promise<void>
  /** The kept days of these objects from the first to the last one, by object and day. */
  days(
    organization: number,
    objects: readonly number[],
    from: number,
    to: number,
  ): Promise<KeptDay[]>
  /** Keeps days as of a state. Does nothing if the organization has advanced since. */
  keep(
    organization: number,
    asOf: CoverageState,
    days: readonly (DayName & { content: string })[],
  ): Promise<void>
  /**
   * Deletes a slice of the kept days that ended before the moment of their object, and of the counts of their rejected packets. `after`
   * and the result are those of `PositionStore.purgeExpired`.
   */
  purgeExpired(organization: number, before: Expiry, after: number): Promise<number | null>
  /** The rejected packets of these objects by the day of their `time_device`, or of their arrival if that is earlier. */
  rejects(
    organization: number,
    objects: readonly number[],
    from: number,
    to: number,
  ): Promise<RejectCount[]>
  /** The first 100 objects with packets that were refused for their time on that UTC day or later, and how many. */
  clockRejects(organization: number, from: number): Promise<ClockRejects[]>
}
