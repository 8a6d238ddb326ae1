/** The formats of answers, and the types by which `Accept` names them. The first one wins a tie. */
export const MEDIA_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  geojson: 'application/geo+json',
  gpx: 'application/gpx+xml',
  kml: 'application/vnd.google-earth.kml+xml',
} as const

export type Format = keyof typeof MEDIA_TYPES

/** Formats of rows that have no place on the map. */
export const TABLE_FORMATS = ['json', 'ndjson', 'csv'] as const satisfies Format[]
/** Formats of rows with a place. */
export const MAP_FORMATS = [...TABLE_FORMATS, 'geojson'] as const satisfies Format[]
/** Formats of positions. */
export const POSITION_FORMATS = [...MAP_FORMATS, 'gpx', 'kml'] as const satisfies Format[]

const PARAMETERS: Partial<Record<Format, string>> = {
  json: '; charset=utf-8',
  csv: '; charset=utf-8; header=present',
}

/** The other formats are UTF-8 by their definition. */
export function contentTypeOf(format: Format): string {
  return MEDIA_TYPES[format] + (PARAMETERS[format] ?? '')
}
