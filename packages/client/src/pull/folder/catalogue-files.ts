import { GEOFENCES, type Kind, OBJECTS, ROUTES, SITES } from '../files/kinds.ts'
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

function* itemsOf<Type extends Parameters<WorkingSet['items']>[0]>(set: WorkingSet, type: Type) {
  for (const { item } of set.items(type)) yield item
}
