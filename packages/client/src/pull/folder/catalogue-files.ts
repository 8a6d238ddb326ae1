import type { RecordKind, ReplicaRecords } from '../../replica/replica-store.ts'
import { shownRecord } from '../../replica/shown-record.ts'
import {
  GEOFENCES,
  type Kind,
  OBJECTS,
  ROUTES,
  SITES,
  STOPS,
  TRIPS,
  VISITS,
} from '../files/kinds.ts'
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
  format: FormatName,
  write: TableOf,
): Promise<string[]> {
  const names = ['objects', 'geofences', 'routes', 'sites'].map((kind) => `${kind}.${format}`)
  const [objects, geofences, routes, sites] = names as [string, string, string, string]
  await write(objects, OBJECTS, shownObjects(set))
  await write(geofences, GEOFENCES, itemsOf(set, 'geofence'))
  await write(routes, ROUTES, itemsOf(set, 'route'))
  await write(sites, SITES, itemsOf(set, 'site'))
  return names
}

const RECORD_FILES = ['trips', 'stops', 'visits']

export function recordFiles(format: FormatName): string[] {
  return RECORD_FILES.map((kind) => `${kind}.${format}`)
}

/** Writes a file for each kind of record. Resolves with their names. */
export async function writeRecords(
  set: WorkingSet,
  format: FormatName,
  write: TableOf,
): Promise<string[]> {
  const names = recordFiles(format)
  const [trips, stops, visits] = names as [string, string, string]
  await write(trips, TRIPS, recordsOf(set, 'trip'))
  await write(stops, STOPS, recordsOf(set, 'stop'))
  await write(visits, VISITS, recordsOf(set, 'visit'))
  return names
}

/** The records of a kind, by id, with the present names of objects and places. */
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

/** The names of items by id, and nothing else of them, because there may be many objects. */
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
