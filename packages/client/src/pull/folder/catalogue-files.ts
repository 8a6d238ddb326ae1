import {
  LISTED,
  type ListedItems,
  RECORDS,
  type ReplicaRecords,
} from '../../changes/change-kinds.ts'
import type { RecordKind } from '../../replica/replica-store.ts'
import { shownRecord } from '../../replica/shown-record.ts'
import type { ObjectDetail } from '../../types.ts'
import { type Kind, LISTED_KINDS, RECORD_KINDS } from '../files/kinds.ts'
import type { FormatName } from '../files/table-writer.ts'
import type { WorkingSet } from '../working-set/working-set.ts'
import { shownObjects } from './shown-positions.ts'

/** Writes a table of the folder. */
export type TableOf = <Row extends object>(
  name: string,
  kind: Kind<Row>,
  rows: Iterable<Row | undefined>,
) => Promise<void>

/** Writes a file for each kind of item. Resolves with their names. */
export async function writeCatalogue(
  set: WorkingSet,
  objectKind: Kind<ObjectDetail>,
  format: FormatName,
  write: TableOf,
): Promise<string[]> {
  const objects = `objects.${format}`
  await write(objects, objectKind, shownObjects(set))
  const names = [objects]
  for (const [kind, list] of Object.entries(LISTED)) {
    const name = `${list}.${format}`
    const rows = itemsOf(set, kind as keyof ListedItems)
    await write(name, LISTED_KINDS[kind as keyof ListedItems] as Kind<object>, rows)
    names.push(name)
  }
  return names
}

export function recordFiles(format: FormatName): string[] {
  return Object.values(RECORDS).map((list) => `${list}.${format}`)
}

/** Writes a file for each kind of record. Resolves with their names. */
export async function writeRecords(
  set: WorkingSet,
  format: FormatName,
  write: TableOf,
): Promise<string[]> {
  for (const [kind, list] of Object.entries(RECORDS)) {
    const rows = recordsOf(set, kind as RecordKind)
    await write(`${list}.${format}`, RECORD_KINDS[kind as RecordKind] as Kind<object>, rows)
  }
  return recordFiles(format)
}

/** The records of a kind, by id, with the current names of objects and places. */
function* recordsOf<Type extends RecordKind>(
  set: WorkingSet,
  type: Type,
): Generator<ReplicaRecords[Type]> {
  const objects = namesIn(set, 'object')
  const places = { geofence: namesIn(set, 'geofence'), site: namesIn(set, 'site') }
  for (const { item } of set.items<RecordKind>(type)) {
    const object = objects.get(item.object_id)
    const place = 'place_id' in item ? places[item.place_type].get(item.place_id) : undefined
    if (object !== undefined) yield shownRecord(item, object, place) as ReplicaRecords[Type]
  }
}

type Names = { name: string; ident: string }

/** The names of items by id. Keeps nothing else in memory, because there may be many objects. */
function namesIn(set: WorkingSet, type: 'object' | 'geofence' | 'site'): Map<number, Names> {
  const names = new Map<number, Names>()
  for (const { item } of set.items<'object' | 'geofence' | 'site'>(type)) {
    names.set(item.id, { name: item.name, ident: 'ident' in item ? item.ident : '' })
  }
  return names
}

function* itemsOf<Type extends Parameters<WorkingSet['items']>[0]>(set: WorkingSet, type: Type) {
  for (const { item } of set.items(type)) yield item
}
