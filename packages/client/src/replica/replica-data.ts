import {
  LISTED,
  type ListedItems,
  type RECORDS,
  type ReplicaRecords,
} from '../changes/change-kinds.ts'
import type { HistoryRange } from '../history.ts'
import type { RecordRange } from '../records.ts'
import type {
  FleetObject,
  LatestPosition,
  Level,
  ObjectDetail,
  Position,
  Stop,
  Trip,
  Visit,
} from '../types.ts'
import type { ItemKind, RecordKind, ReplicaItems, ReplicaStore } from './replica-store.ts'
import { daysOf, oldestShown } from './retention.ts'
import { detailOf, latestOf, listItemOf, rowOf } from './shown-object.ts'
import { byPlace, overlaps, shownRecord } from './shown-record.ts'

/** The lists of a replica, each as the API answers it: `geofences`, `routes` and `sites`. */
export type ReplicaLists = {
  readonly [Kind in keyof ListedItems as (typeof LISTED)[Kind]]: {
    list(): Promise<ListedItems[Kind][]>
  }
}

/** The data of a replica, as the API answers them. */
export type ReplicaData = ReplicaLists & {
  readonly objects: {
    /** All objects, by id. */
    list(): Promise<FleetObject[]>
    /** An object with its location. Undefined if there is none with this id. */
    get(id: number): Promise<ObjectDetail | undefined>
  }
  readonly positions: {
    /** The latest positions of these objects in their order, without unknown ones. Default: all, by id. */
    latest(ids?: Iterable<number>): Promise<LatestPosition[]>
    /** An object's positions of a range, by time. Empty if the replica does not keep positions. */
    history(
      id: number,
      range: Pick<HistoryRange, 'from' | 'to'>,
    ): AsyncGenerator<Position, void, undefined>
  }
  /** The trips that overlap a range, by object and start. Empty if the replica does not keep records. */
  trips(range: ReplicaRange): AsyncGenerator<Trip, void, undefined>
  /** The stops that overlap a range. Otherwise as `trips`. */
  stops(range: ReplicaRange): AsyncGenerator<Stop, void, undefined>
  /** The visits that overlap a range. Otherwise as `trips`. */
  visits(range: ReplicaRange): AsyncGenerator<Visit, void, undefined>
  /** The changes of levels that overlap a range. Otherwise as `trips`. */
  levels(range: ReplicaRange): AsyncGenerator<Level, void, undefined>
}

/** A range of time, both ends included. `ids`: only these objects. Default: all. */
export type ReplicaRange = Pick<RecordRange, 'from' | 'to' | 'ids'>

/** Reads what is in a store. `now`: milliseconds since the epoch, for the retention. */
export function replicaData(store: ReplicaStore, now: () => number): ReplicaData {
  const list = async <Kind extends ItemKind>(kind: Kind): Promise<ReplicaItems[Kind][]> =>
    Array.from(await store.items(kind), ({ item }) => item).sort(byId)
  const listed = Object.fromEntries(
    Object.entries(LISTED).map(([kind, name]) => [
      name,
      { list: () => list(kind as keyof ListedItems) },
    ]),
  ) as ReplicaLists

  async function detail(id: number): Promise<ObjectDetail | undefined> {
    const object = await store.item('object', id)
    return object && detailOf(object, await store.item('state', id))
  }

  async function latest(id: number): Promise<LatestPosition | undefined> {
    const object = await detail(id)
    if (object === undefined) return undefined
    const { time_device: time } = object
    const positions = time === null ? [] : store.positions(id, time, time)
    for await (const position of positions) return latestOf(object, position)
    return latestOf(object, undefined)
  }

  async function* history(id: number, range: Pick<HistoryRange, 'from' | 'to'>) {
    const object = await detail(id)
    const progress = await store.load()
    if (object === undefined || progress === undefined) return
    const { start, end } = shownRange(range, daysOf(id, progress), now())
    for await (const row of store.positions(id, start, end)) {
      yield rowOf(row, object, progress.distanceUnit)
    }
  }

  return {
    objects: {
      async list() {
        const states = new Map(
          Array.from(await store.items('state'), (state) => [state.item.id, state]),
        )
        const objects = Array.from(await store.items('object'), (object) =>
          listItemOf(object, states.get(object.item.id)),
        )
        return objects.sort(byId)
      },
      get: detail,
    },
    positions: {
      async latest(ids) {
        const wanted = ids ?? (await list('object')).map(({ id }) => id)
        const rows: LatestPosition[] = []
        for (const id of new Set(wanted)) {
          const row = await latest(id)
          if (row !== undefined) rows.push(row)
        }
        return rows
      },
      history,
    },
    ...listed,
    ...replicaRecords(store, now),
  }
}

function replicaRecords(
  store: ReplicaStore,
  now: () => number,
): Pick<ReplicaData, (typeof RECORDS)[RecordKind]> {
  async function* records<Kind extends RecordKind>(
    kind: Kind,
    asked: ReplicaRange,
  ): AsyncGenerator<ReplicaRecords[Kind], void, undefined> {
    const progress = await store.load()
    if (progress === undefined) return
    const chosen = asked.ids && new Set(asked.ids)
    const range = shownRange(asked, progress.retentionDays, now())
    const rangeOf = (id: number) =>
      progress.objectRetentionDays?.[id] === undefined
        ? range
        : shownRange(asked, daysOf(id, progress), now())
    const isShown = (record: ReplicaRecords[RecordKind]) =>
      overlaps(record, rangeOf(record.object_id))
    const found = Array.from(await store.items<RecordKind>(kind), ({ item }) => item).filter(
      (record) => chosen?.has(record.object_id) !== false && isShown(record),
    )
    for (const record of found.sort(byPlace)) {
      const object = await store.item('object', record.object_id)
      const place =
        'place_id' in record ? await store.item(record.place_type, record.place_id) : undefined
      if (object === undefined) continue
      yield shownRecord(record, object.item, place?.item) as ReplicaRecords[Kind]
    }
  }

  return {
    trips: (range) => records('trip', range),
    stops: (range) => records('stop', range),
    visits: (range) => records('visit', range),
    levels: (range) => records('level', range),
  }
}

/** The part of a range that the retention shows, as times in UTC. */
function shownRange(
  { from, to }: Pick<ReplicaRange, 'from' | 'to'>,
  retentionDays: number | null,
  now: number,
): { start: string; end: string } {
  const oldest = oldestShown(retentionDays, now) ?? ''
  const first = timeOf(from, 'T00:00:00.000Z')
  return { start: first < oldest ? oldest : first, end: timeOf(to, 'T23:59:59.999Z') }
}

const byId = (a: { id: number }, b: { id: number }) => a.id - b.id
const DATE = /^\d{4}-\d\d-\d\d$/
const ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/i

/** A time without a zone is in UTC. `ofDay`: the time that a date means. */
function timeOf(time: Date | string, ofDay: string): string {
  if (time instanceof Date) return time.toISOString()
  if (DATE.test(time)) return time + ofDay
  return new Date(ZONE.test(time) ? time : `${time}Z`).toISOString()
}
