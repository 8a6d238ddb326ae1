import { formatAmong, formatsOfEnding, type ImportFormat } from '../../domain/import-formats.ts'
import { ImportMisuse } from '../row.ts'

const TAKEN_BY = {
  gpx: "GPX; 'import positions' takes its tracks, 'import sites' its waypoints, 'import routes' its routes",
  kml: "KML; 'import positions' takes its tracks, 'import geofences', 'import routes' or 'import sites' its shapes",
  owntracks: "a file of OwnTracks Recorder, which holds positions; 'import positions' takes it",
  geojson: "GeoJSON; 'import geofences', 'import routes' or 'import sites' takes it",
}

/** For an import that does not take the format. */
export function formatOfOthers(path: string, format: keyof typeof TAKEN_BY): ImportMisuse {
  return new ImportMisuse(`'${path}' is ${TAKEN_BY[format]}`)
}

/**
 * The format of a file by the ending of its name, without `.gz`, among the allowed ones. Throws `ImportMisuse`.
 */
export function formatOf<Format extends ImportFormat>(
  path: string,
  formats: readonly Format[],
): Format {
  const ending = /\.([^./\\]+)(?:\.gz)?$/i.exec(path)?.[1] ?? ''
  const format = formatAmong(formats, ending)
  if (format !== undefined) return format
  const written = formatsOfEnding(ending).find((each) => each in TAKEN_BY)
  if (written !== undefined) throw formatOfOthers(path, written as keyof typeof TAKEN_BY)
  const subject = path === '-' ? 'the standard input' : `the ending of '${path}'`
  throw new ImportMisuse(
    `${subject} does not show the format: give --format, one of ${formats.join(', ')}`,
  )
}
