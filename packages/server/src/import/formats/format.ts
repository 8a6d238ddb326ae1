import { ImportMisuse } from '../row.ts'

const FORMAT_OF: Readonly<Record<string, readonly string[]>> = {
  csv: ['csv'],
  tsv: ['csv'],
  ndjson: ['ndjson'],
  jsonl: ['ndjson'],
  gpx: ['gpx'],
  geojson: ['geojson'],
  json: ['geojson', 'ndjson'],
}

const TAKEN_BY = {
  gpx: "GPX, which holds positions; 'import positions' takes it",
  geojson: "GeoJSON; 'import geofences', 'import routes' or 'import sites' takes it",
}

/** For an import that does not take the format. */
export function formatOfOthers(path: string, format: keyof typeof TAKEN_BY): ImportMisuse {
  return new ImportMisuse(`'${path}' is ${TAKEN_BY[format]}`)
}

/**
 * The format of a file by its extension, without `.gz`, among the allowed ones. Throws `ImportMisuse`.
 */
export function formatOf<Format extends string>(path: string, formats: readonly Format[]): Format {
  const ending = /\.([^./\\]+)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  const possible = FORMAT_OF[ending] ?? []
  const format = possible.find((each): each is Format => formats.includes(each as Format))
  const [written] = possible
  if (format === undefined && (written === 'gpx' || written === 'geojson')) {
    throw formatOfOthers(path, written)
  }
  if (format === undefined) {
    const what = path === '-' ? 'the standard input' : `the ending of '${path}'`
    throw new ImportMisuse(
      `${what} does not show the format: give --format, one of ${formats.join(', ')}`,
    )
  }
  return format
}
