import type { ListedItems, ReplicaRecords } from '../changes/change-kinds.ts'
import type { FleetObject, ObjectState, Position } from '../types.ts'

/** The things that a replica keeps by their ids. The `id` of a state is the id of its object. */
export type ReplicaItems = {
  object: FleetObject
  state: ObjectState
} & ListedItems &
  ReplicaRecords
export type RecordKind = keyof ReplicaRecords
export type ItemKind = keyof ReplicaItems

/** An item with the `as_of` of the page that it came on. */
export type StoredItem<Kind extends ItemKind> = { item: ReplicaItems[Kind]; asOf: number }

/** A position with the `as_of` of the page that it came on. */
export type StoredPosition = { position: Position; asOf: number }

/** One change of a store. Times are those of the API: `2026-11-20T10:00:00.000Z`, which sort as text. */
export type ReplicaWrite =
  /** Drop everything. */
  | { write: 'clear' }
  /** Put an item in the place of the one with this kind and id. */
  | { [Kind in ItemKind]: { write: 'put'; kind: Kind; id: number } & StoredItem<Kind> }[ItemKind]
  /** Drop an item, if the store has it. */
  | { write: 'delete'; kind: ItemKind; id: number }
  /**
   * Drop the records (trips, stops, visits, changes of levels) of an object (`object_id`; null: of all) whose `end_time`
   * is before a time (null: whatever it is). Only a replica with `records` makes this write.
   */
  | { write: 'delete-records'; id: number | null; endedBefore: string | null }
  /** Put a position in the place of the one with this object and time. */
  | ({ write: 'put-position'; id: number; time: string } & StoredPosition)
  /** Drop the positions of a range. Both ends are included, and null is open. `id` null: of all objects. */
  | { write: 'delete-positions'; id: number | null; from: string | null; to: string | null }
  /**
   * Add these amounts to the `exact` counters of the object's positions in a range (ends as above) whose
   * `asOf` is below `seq`. A counter that is null stays null.
   */
  | {
      write: 'shift-positions'
      id: number
      from: string | null
      to: string | null
      seq: number
      odometer_mm: number
      mileage_mm: number
      engine_hours_ms: number
    }

/** A replica's place in the changes. It is plain JSON. */
export type ReplicaProgress = {
  /** Where the next page begins. */
  cursor: string
  /** The cursor of the first page. It distinguishes a new start from the same page again. */
  start: string
  /** The number of the newest change when the last page was made. */
  asOf: number
  distanceUnit: 'km' | 'mi'
  /** Days for which positions are shown. Null: no limit. */
  retentionDays: number | null
  /** The same of the objects with a retention of their own, by id: the smaller number holds. Left out: none has one. */
  objectRetentionDays?: Readonly<Record<number, number>> | undefined
  /** When what these objects had was last dropped because of its age. */
  objectsDroppedAt?: string | undefined
  /** Positions, and records that ended, before this time have been dropped because of their age. */
  droppedBefore: string | null
  /** Whether the replica has been equal to the fleet since it started. */
  isComplete: boolean
  /** The options of the replica. With other options it starts again. */
  options: string
}

type MaybePromise<Value> = Value | Promise<Value>

/** Where a replica keeps its data. */
export type ReplicaStore = {
  /** The progress of the last commit. Undefined if there is none. */
  load(): MaybePromise<ReplicaProgress | undefined>
  /** Makes the writes in their order and keeps the progress: in one transaction, all or nothing. */
  commit(writes: readonly ReplicaWrite[], progress: ReplicaProgress): MaybePromise<void>
  item<Kind extends ItemKind>(kind: Kind, id: number): MaybePromise<StoredItem<Kind> | undefined>
  /** All items of a kind, in any order. */
  items<Kind extends ItemKind>(kind: Kind): MaybePromise<Iterable<StoredItem<Kind>>>
  /** An object's positions from `from` to `to`, both included, by time. */
  positions(
    id: number,
    from: string,
    to: string,
  ): Iterable<StoredPosition> | AsyncIterable<StoredPosition>
}
