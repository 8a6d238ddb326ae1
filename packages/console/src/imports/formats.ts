import { byTopic, type ItemTopic, LIST_TOPICS } from '../../../server/src/domain/items.ts'

export type ImportKind = ItemTopic | 'positions'

const TYPES: Record<string, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  geojson: 'application/geo+json',
  json: 'application/geo+json',
  gpx: 'application/gpx+xml',
}

const ENDINGS: Record<ImportKind, readonly string[]> = {
  objects: ['.csv', '.ndjson', '.jsonl'],
  positions: ['.csv', '.ndjson', '.jsonl', '.gpx'],
  ...byTopic(LIST_TOPICS, () => ['.geojson', '.json', '.csv', '.ndjson']),
}

/** The file extensions for a kind of item. */
export function endingsOf(kind: ImportKind): readonly string[] {
  return ENDINGS[kind]
}

/** Why a file is not taken, and which import takes it. */
export function unfitFile({ name }: File, kind: ImportKind): string {
  const other = Object.entries(TAKEN_BY).find(([ending]) => name.toLowerCase().endsWith(ending))
  const advice = other === undefined ? '' : ` ${other[1]}`
  return `${name} cannot be taken: its name has to end in ${endingsOf(kind).join(', ')}.${advice}`
}

/** The advice for formats that only some imports take. */
const TAKEN_BY: Record<string, string> = {
  '.gpx': 'GPX holds positions: import it on the page of objects, as positions.',
  '.geojson': 'GeoJSON holds places: import it on the page of geofences, routes or sites.',
}

/** The media type of a file. Undefined: the import does not take such files. */
export function typeOf(file: File, kind: ImportKind): string | undefined {
  const ending = file.name.split('.').at(-1)?.toLowerCase() ?? ''
  return endingsOf(kind).includes(`.${ending}`) ? TYPES[ending] : undefined
}
