import {
  catalogueFormats,
  endingsOf,
  formatAmong,
  IMPORT_TYPES,
  type ImportFormat,
  POSITION_FORMATS,
} from '../../../server/src/domain/import-formats.ts'
import type { ItemTopic } from '../../../server/src/domain/items.ts'

export type ImportKind = ItemTopic | 'positions'

/** The endings of the files that an import takes, such as `.csv`. */
export function fileEndings(kind: ImportKind): readonly string[] {
  return endingsOf(formatsOf(kind)).map((ending) => `.${ending}`)
}

/** Why a file is not taken, and which import takes it. */
export function unfitFile({ name }: File, kind: ImportKind): string {
  const other = Object.entries(TAKEN_BY).find(([ending]) => name.toLowerCase().endsWith(ending))
  const advice = other === undefined ? '' : ` ${other[1]}`
  return `${name} cannot be taken: its name has to end in ${fileEndings(kind).join(', ')}.${advice}`
}

/** The advice for formats that only some imports take. */
const TAKEN_BY: Record<string, string> = {
  '.gpx': 'GPX holds positions: import it on the page of objects, as positions.',
  '.kml': 'KML holds tracks: import it on the page of objects, as positions.',
  '.kmz': 'KMZ holds tracks: import it on the page of objects, as positions.',
  '.rec': 'It holds positions of OwnTracks: import it on the page of objects, as positions.',
  '.geojson': 'GeoJSON holds places: import it on the page of geofences, routes or sites.',
}

/** The media type of a file. Undefined: the import does not take such files. */
export function typeOf(file: File, kind: ImportKind): string | undefined {
  const format = formatAmong(formatsOf(kind), file.name.split('.').at(-1) ?? '')
  return format && IMPORT_TYPES[format]
}

function formatsOf(kind: ImportKind): readonly ImportFormat[] {
  return kind === 'positions' ? POSITION_FORMATS : catalogueFormats(kind)
}
