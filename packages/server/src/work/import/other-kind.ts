import {
  formatAmong,
  formatsFor,
  formatsOfEnding,
  IMPORT_FORMATS,
  IMPORT_KINDS,
  type ImportFormat,
  type ImportKind,
} from '../../base/domain/import-formats.ts'
import { ACCURACY_RULES } from '../../base/domain/monitored-object.ts'
import { documentedName } from '../../base/domain/setting-rule.ts'
import { GEOFENCE_KIND, objectKind } from './item-kinds.ts'
import { POSITION_FIELDS } from './position-row.ts'
import { ImportMisuse, OtherKind } from './row.ts'
import { candidatesOf, type Field, type Mapping } from './tables/column-mapping.ts'

/** The kinds of import that take a file, by its content. */
const TAKEN_BY = {
  positions: ['positions'],
  objects: ['objects'],
  sites: ['sites'],
  /** The geometry of each row decides which. */
  places: ['geofences', 'routes', 'sites'],
} as const

type Content = keyof typeof TAKEN_BY

const OBJECT_FIELDS = objectKind(1).fields

const IDENT = fieldsOf(POSITION_FIELDS, ['ident'])

const TIME = fieldsOf(POSITION_FIELDS, ['time_device', 'date'])

const PLACE = fieldsOf(POSITION_FIELDS, ['latitude', 'longitude'])

const MOTION = fieldsOf(POSITION_FIELDS, ['speed', 'angle', 'altitude', 'hdop', 'gps_level'])

const VEHICLE = fieldsOf(OBJECT_FIELDS, ['vin', 'plate_number'])

/** Columns of a list of objects. */
const SETTINGS = fieldsOf(OBJECT_FIELDS, [
  ...['odometer_type', 'engine_hours_type'],
  ...Object.keys(ACCURACY_RULES).map(documentedName),
])

/** The name of an object or a place. */
const NAME = [
  {
    name: 'name',
    synonyms: [OBJECT_FIELDS, GEOFENCE_KIND.fields].flatMap((fields) =>
      fieldsOf(fields, ['name']).flatMap(({ synonyms }) => synonyms),
    ),
  },
]

const GEOMETRY = fieldsOf(GEOFENCE_KIND.fields, ['geometry', 'coordinates'])

/**
 * Throws `OtherKind` if the columns are those of another kind of import: the rows would create unwanted items, or
 * count as duplicates of existing ones.
 */
export function refuseOtherKind(
  kind: string,
  mapping: Mapping,
  columns: readonly string[],
  source: string,
): void {
  const present = (fields: readonly Field[]) =>
    fields.flatMap((field) => columns[candidatesOf(field, columns, mapping)[0] ?? -1] ?? [])
  const found = contentOf(present)
  if (found === undefined) return
  const takers: readonly ImportKind[] = TAKEN_BY[found.content]
  if (takers.includes(kind as ImportKind)) return
  throw new OtherKind(
    `'${source}' looks like ${found.content}: it has the columns ${found.by.join(', ')}; ${adviceOn(takers)}`,
    takers,
  )
}

function adviceOn(takers: readonly ImportKind[]): string {
  const commands = takers.map((each) => `'import ${each}'`).join(' or ')
  return takers.includes('positions')
    ? `use ${commands}, which creates objects with --create-objects`
    : `use ${commands}`
}

/** Undefined if the columns allow several contents: each row is judged then. `by`: the columns that decide. */
function contentOf(
  present: (fields: readonly Field[]) => string[],
): { content: Content; by: string[] } | undefined {
  const [ident, name, vehicle] = [present(IDENT), present(NAME), present(VEHICLE)]
  const [time, place, motion] = [present(TIME), present(PLACE), present(MOTION)]
  const [geometry, settings] = [present(GEOMETRY), present(SETTINGS)]
  const isPlaced = place.length === PLACE.length
  const isTimed = time.length > 0
  const fix = [...time, ...place, ...motion]

  if (settings.length > 0) {
    // A list of objects that the API wrote has the columns of a position too.
    return isPlaced && isTimed ? undefined : { content: 'objects', by: [...ident, ...settings] }
  }
  if (isPlaced && isTimed && (ident.length > 0 || name.length === 0)) {
    return { content: 'positions', by: fix }
  }
  if (ident.length > 0) {
    if (vehicle.length > 0) {
      // A list of vehicles may say where each of them is.
      return isTimed ? undefined : { content: 'objects', by: [...ident, ...vehicle] }
    }
    const isMoving = fix.length > 1 && (isTimed || motion.length > 0 || name.length === 0)
    if (isMoving) return { content: 'positions', by: fix }
    if (isTimed && geometry.length > 0) {
      return { content: 'positions', by: [...time, ...geometry] }
    }
    const isNamed = name.length > 0 && fix.length + geometry.length === 0
    return isNamed ? { content: 'objects', by: [...ident, ...name] } : undefined
  }
  if (name.length === 0 || isTimed) return undefined
  if (geometry.length > 0) return { content: 'places', by: [...name, ...geometry] }
  return isPlaced ? { content: 'sites', by: [...name, ...place] } : undefined
}

function fieldsOf(fields: readonly Field[], names: readonly string[]): Field[] {
  return names.map((name) => fields.find((field) => field.name === name)!)
}

/** For formats of which each import takes a part. */
const ADVICE_ON_PARTS: { [Format in ImportFormat]?: string } = {
  gpx: "'import positions' takes its tracks, 'import sites' its waypoints, 'import routes' its routes",
  kml: "'import positions' takes its tracks, 'import geofences', 'import routes' or 'import sites' its shapes",
}

/** For an import that does not take the format. */
export function formatOfOthers(path: string, format: ImportFormat): ImportMisuse {
  const takers = IMPORT_KINDS.filter((kind) => formatsFor(kind).includes(format))
  const advice = ADVICE_ON_PARTS[format] ?? adviceOn(takers)
  return new ImportMisuse(`'${path}' is ${IMPORT_FORMATS[format].name}; ${advice}`)
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
  const written = formatsOfEnding(ending).at(-1)
  if (written !== undefined) throw formatOfOthers(path, written)
  const subject = path === '-' ? 'the standard input' : `the ending of '${path}'`
  throw new ImportMisuse(
    `${subject} does not show the format: use --format with one of ${formats.join(', ')}`,
  )
}
