/** The formats and their media types, from the specification. */
export const FORMATS: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  geojson: 'application/geo+json',
  gpx: 'application/gpx+xml',
  kml: 'application/vnd.google-earth.kml+xml',
}

/** A path that asks for a format. */
export function withFormat(path: string, format: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}format=${format}`
}
