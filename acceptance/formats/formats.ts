import { WHOLE_DAYS, WHOLE_RANGE } from '../harness/fleet-data.ts'

/** The formats and their media types, from the specification. */
export const FORMATS: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  geojson: 'application/geo+json',
  gpx: 'application/gpx+xml',
  kml: 'application/vnd.google-earth.kml+xml',
}

const POSITIONS = Object.keys(FORMATS)
const ON_MAP = POSITIONS.slice(0, 4)
const TABLE = POSITIONS.slice(0, 3)

/** The operations with several formats. `{van}` stands for an object. */
export const ROWS: { path: string; formats: string[] }[] = [
  { path: `/objects/{van}/positions?${WHOLE_RANGE}`, formats: POSITIONS },
  { path: '/positions/latest?ids={van}', formats: POSITIONS },
  ...['trips', 'stops', 'visits'].map((records) => ({
    path: `/${records}?ids={van}&${WHOLE_RANGE}`,
    formats: ON_MAP,
  })),
  { path: `/days?ids={van}&${WHOLE_DAYS}`, formats: TABLE },
  { path: `/coverage?ids={van}&${WHOLE_DAYS}`, formats: TABLE },
  { path: '/objects', formats: TABLE },
  ...['geofences', 'routes', 'sites'].map((places) => ({ path: `/${places}`, formats: ON_MAP })),
]
