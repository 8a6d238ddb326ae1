import { randomBytes } from 'node:crypto'
import { addAll } from '../../base/domain/common/any-number.ts'
import { takeTurn } from '../../base/domain/common/slots.ts'
import type { Items, ItemTopic } from '../../base/domain/item-rules.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { Motion } from '../../base/domain/position/fold-state.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import type { PositionColumns } from '../../base/domain/position/position-columns.ts'
import { partsIn } from '../../base/domain/time/ranges.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { ChangeEntries } from './change-entries.ts'
import type { RecordView } from './record-store.ts'

/**
 * The port to the change log. Each transaction that changes what an organization's answers show is one
 * change of the organization. Changes have the numbers 1, 2, 3, … in the order of their commits, without a
 * gap, and nobody else's changes count. The log names what changed; a reader looks up how that is now.
 */
export interface ChangeLogStore {
  /** The newest change of each organization, except those whose server is down while others answer. */
  newest(organizations: readonly number[]): Promise<Map<number, NewestChange>>
  /**
   * Runs `work` on a view of an organization in which nothing changes. `work` must not wait for a client.
   * Null, without running it, if the organization does not exist. `signal` aborts the wait for a
   * connection. Views may share a transaction. If it fails, `work` runs again on another view.
   */
  view<T>(
    organization: number,
    work: (view: ChangeView) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | null>
  /**
   * Deletes a slice of the changes that were committed before a moment, but never the newest one of an
   * organization. Returns whether there may be more.
   */
  purge(before: number): Promise<boolean>
}

/**
 * The number of the newest change; 0 if nothing has changed yet. All changes after number `besidesRecords` are of derived
 * records alone. The store looks at the newest `RECENT_CHANGES` for that.
 */
export type NewestChange = { seq: number; besidesRecords: number }
/** While a long history is derived, about ten such changes come between two looks of the watch. */
export const RECENT_CHANGES = 30

/**
 * One change, with the time of its commit in milliseconds since the epoch. `places`: where its entries are among all that
 * the reader's key may see at any time, for a key that sees a range of time. Some of them may be invisible as of a view, and
 * a page may end within a change, so the parts of a change have the same index in every view.
 */
export type LoggedChange = {
  seq: number
  at: number
  entries: ChangeEntries
  places?: { objects: readonly number[]; allObjects: number; records: readonly number[] }
}

/** A position, by its object and `time_device`. */
export type PositionName = { object: number; time: number }

/** The newest stored position of an object in a range, hidden ones too. */
export type NewestPosition = {
  object: number
  /** Its fix record, with all shifts. */
  record: Uint8Array
  motion: Motion | null
  /** The times of the newest positions up to it that are believed, and that are believed and shown. */
  believedAt: number
  shownAt: number
}

/** An organization as of its change `asOf`. Lists are by id, ascending, and lack what does not exist. */
export interface ChangeView extends RecordView {
  readonly asOf: number
  /**
   * A random text of the deployment. A new one means that changes are numbered from the start again: after a backup
   * was restored, a number may name another change.
   */
  readonly epoch: string
  /** The number of the oldest kept change; 0 if there was none yet. */
  readonly oldest: number
  readonly organization: Organization
  /** The changes after number `after`, in order, at most `limit`. */
  changes(after: number, limit: number): Promise<LoggedChange[]>
  items<Topic extends ItemTopic>(topic: Topic, ids: readonly number[]): Promise<Items[Topic][]>
  /** The items with ids above `after`, at most `limit`. */
  itemsAfter<Topic extends ItemTopic>(
    topic: Topic,
    after: number,
    limit: number,
  ): Promise<Items[Topic][]>
  /** The first `limit` objects with ids above `after` that have a retention of their own, by id. */
  retentions(after: number, limit: number): Promise<{ object: number; days: number }[]>
  /** The states of those of the objects that have one. */
  states(objects: readonly number[]): Promise<Map<number, ObjectState>>
  /** The fix record of each of these positions, with all shifts; null for a position that is not shown. */
  positions(wanted: readonly PositionName[]): Promise<(Uint8Array | null)[]>
  /**
   * The shown positions of an object with `after < time_device <= to`, the first `limit` of them, with all shifts, in parts
   * that follow each other. No part is empty.
   */
  range(object: number, after: number, to: number, limit: number): Promise<PositionColumns[]>
  /** The newest stored position of each object in its range. Objects without one are left out. */
  newestIn(wanted: readonly ObjectRange[]): Promise<NewestPosition[]>
  /**
   * The newest shown position in a range, both ends included, of each of these objects that has one. By
   * index: a search for each object.
   */
  newest(objects: readonly number[], range: TimeRange): Promise<PositionName[]>
  /**
   * The ranges of time since `from` in which the object's positions belong to a trip that began before
   * `from` and, unless it is null, at `tripsSince` or later; with null also those without a trip. One
   * range at most, but for an object that waits for a fold.
   */
  earlierTrips(object: number, from: number, tripsSince: number | null): Promise<TimeRange[]>
}

/** The part of a view that answers of the API are made from. The rest is for the derivation of records. */
export type ReaderView = Omit<
  ChangeView,
  | ('laterRows' | 'tails' | 'openRecords' | 'recordsIn' | 'segments' | 'visitsTo' | 'attributes')
  | 'inRefold'
> & {
  /**
   * The intervals of the times of an object that a reader sees; `rows` and `rowsBefore` read within one. Left out: it
   * sees all times.
   */
  intervals?(object: number): readonly TimeRange[]
}

/** The parts of a range that a reader sees of an object, ascending. No leg, gap or value crosses two of them. */
export function visibleParts(
  { intervals }: Pick<ReaderView, 'intervals'>,
  object: number,
  range: TimeRange,
): readonly TimeRange[] {
  return intervals === undefined ? [range] : partsIn(intervals(object), range)
}

/** A range of the times of an object. */
export type ObjectRange = { object: number } & TimeRange

/** As `newest` of a view, with a range for each object. Most objects have the same one. */
export async function newestShown(
  view: Pick<ReaderView, 'newest'>,
  wanted: readonly ObjectRange[],
): Promise<PositionName[]> {
  const found: PositionName[] = []
  for (const same of Map.groupBy(wanted, ({ from, to }) => `${from} ${to}`).values()) {
    const { from, to } = same[0]!
    const objects = same.map(({ object }) => object)
    addAll(found, await view.newest(objects, { from, to }))
  }
  return found
}

/** The part of `ChangeLogStore` that answers of the API are made from. */
export type ReaderViews = {
  view<T>(
    organization: number,
    work: (view: ReaderView) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | null>
}

/** The name of a new epoch: 32 hexadecimal digits. */
export function newEpoch(): string {
  return randomBytes(16).toString('hex')
}

/** A store takes no turn within so few. */
const CHANGES_AT_ONCE = 250

/** The changes of a view after number `after`, in order, some at a time. Others run in between. */
export async function* changesAfter(
  view: Pick<ChangeView, 'changes'>,
  after: number,
): AsyncGenerator<readonly LoggedChange[]> {
  for (let last = after; ; await takeTurn()) {
    const changes = await view.changes(last, CHANGES_AT_ONCE)
    if (changes.length > 0) yield changes
    if (changes.length < CHANGES_AT_ONCE) return
    last = changes.at(-1)!.seq
  }
}

/** The commit time of the change with a number. Without one, the time at which the organization was made. */
export async function committedAt(
  { changes, organization }: Pick<ReaderView, 'changes' | 'organization'>,
  seq: number,
): Promise<number> {
  const [change] = await changes(seq - 1, 1)
  return change?.at ?? organization.createdAt
}
