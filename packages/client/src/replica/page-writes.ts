import { LISTED, type ListedItems, RECORDS } from '../changes/change-kinds.ts'
import type { ChangesPage } from '../changes/changes-page.ts'
import type { Change } from '../types.ts'
import type { RecordKind, ReplicaItems, ReplicaProgress, ReplicaWrite } from './replica-store.ts'
import { DROP_EVERY_MS, oldestShown, ownRetentions } from './retention.ts'

/** The writes that apply a page, and the progress to commit with them. */
export type PageWrites = { writes: ReplicaWrite[]; progress: ReplicaProgress }

/** `options`: see `ReplicaProgress`. `hasRecords`: whether records are among them. */
export type WriteOptions = { options: string; hasRecords: boolean }

/**
 * Returns what a page writes. Undefined if it is not the next one after `last`: a repeated page writes nothing.
 * `now`: milliseconds since the epoch.
 */
export function pageWrites(
  page: ChangesPage,
  last: ReplicaProgress | undefined,
  { options, hasRecords }: WriteOptions,
  now: number,
): PageWrites | undefined {
  const isStart = page.after === null
  if (isStart ? page.cursor === last?.start : page.after !== last?.cursor) return undefined
  const before = isStart ? undefined : last
  const writes: ReplicaWrite[] = isStart ? [{ write: 'clear' }] : []
  let { retentionDays = null, droppedBefore = null } = before ?? {}
  const own = ownRetentions(before, now)
  for (const change of page.changes) {
    for (const write of writesOf(change, page.as_of)) writes.push(write)
    if (hasRecords && change.type === 'object' && change.op === 'delete') {
      writes.push({ write: 'delete-records', id: change.id, endedBefore: null })
    }
    if (change.type === 'retention') retentionDays = change.days
    own.take(change)
  }
  const oldest = oldestShown(retentionDays, now)
  if (isDropDue(oldest, droppedBefore)) {
    droppedBefore = oldest
    writes.push({ write: 'delete-positions', id: null, from: null, to: justBefore(oldest!) })
    if (hasRecords) writes.push({ write: 'delete-records', id: null, endedBefore: oldest })
  }
  for (const { id, oldest } of own.due()) {
    writes.push({ write: 'delete-positions', id, from: null, to: justBefore(oldest) })
    if (hasRecords) writes.push({ write: 'delete-records', id, endedBefore: oldest })
  }
  const progress: ReplicaProgress = {
    ...own.kept(),
    cursor: page.cursor,
    start: before?.start ?? page.cursor,
    asOf: page.as_of,
    distanceUnit: page.distance_unit,
    retentionDays,
    droppedBefore,
    isComplete: before?.isComplete === true || !page.has_more,
    options,
  }
  return { writes, progress }
}

function isDropDue(oldest: string | null, droppedBefore: string | null): boolean {
  if (oldest === null) return false
  return droppedBefore === null || Date.parse(oldest) - Date.parse(droppedBefore) >= DROP_EVERY_MS
}

function justBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString()
}

function writesOf(change: Change, asOf: number): ReplicaWrite[] {
  switch (change.type) {
    case 'position':
      return [positionWrite(change, asOf)]
    case 'positions': {
      const { id, from_time: from, to_time: to } = change
      return [{ write: 'delete-positions', id, from, to }]
    }
    case 'counters': {
      const { type: _, op: __, from_time: from, to_time: to, ...shift } = change
      return [{ write: 'shift-positions', from, to, ...shift }]
    }
    case 'state':
      return [{ write: 'put', kind: 'state', id: change.state.id, item: change.state, asOf }]
    case 'object':
      return objectWrites(change, asOf)
    default:
      // Later versions of the server have more types.
      return isOfItem(change) ? [itemWrite(change, asOf)] : []
  }
}

type Of<Type extends Change['type']> = Extract<Change, { type: Type }>

function positionWrite(change: Of<'position'>, asOf: number): ReplicaWrite {
  if (change.op === 'put') {
    const { position } = change
    return { write: 'put-position', id: position.id, time: position.time_device, position, asOf }
  }
  const { id, time_device: time } = change
  return { write: 'delete-positions', id, from: time, to: time }
}

/** An object is deleted with all that it has. */
function objectWrites(change: Of<'object'>, asOf: number): ReplicaWrite[] {
  if (change.op === 'put') {
    return [{ write: 'put', kind: 'object', id: change.object.id, item: change.object, asOf }]
  }
  const { id } = change
  return [
    { write: 'delete', kind: 'object', id },
    { write: 'delete', kind: 'state', id },
    { write: 'delete-positions', id, from: null, to: null },
  ]
}

type ItemChange = Of<keyof ListedItems | RecordKind>

function isOfItem(change: Change): change is ItemChange {
  return change.type in LISTED || change.type in RECORDS
}

function itemWrite(change: ItemChange, asOf: number): ReplicaWrite {
  const { type: kind } = change
  if (change.op === 'delete') return { write: 'delete', kind, id: change.id }
  const item = change[kind as never] as ReplicaItems[typeof kind]
  return { write: 'put', kind, id: item.id, item, asOf } as ReplicaWrite
}
