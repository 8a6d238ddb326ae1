import { ITEM_TOPICS, type ItemTopic } from './item-rules.ts'
import { ORGANIZATION_RULES } from './organization.ts'
import { described, type Rules } from './setting-rule.ts'

/** The formats of imported files: what messages call a file, and the media type by which the admin API takes it. */
export const IMPORT_FORMATS = {
  csv: { name: 'CSV', type: 'text/csv' },
  ndjson: { name: 'NDJSON', type: 'application/x-ndjson' },
  geojson: { name: 'GeoJSON', type: 'application/geo+json' },
  json: { name: 'JSON', type: 'application/json' },
  gpx: { name: 'GPX', type: 'application/gpx+xml' },
  kml: { name: 'KML', type: 'application/vnd.google-earth.kml+xml' },
  owntracks: { name: 'a file of OwnTracks Recorder', type: 'application/x-owntracks-rec' },
} as const
export type ImportFormat = keyof typeof IMPORT_FORMATS

/** Those in which positions have columns, or members of objects, that a caller can name. */
export const COLUMN_FORMATS: readonly ImportFormat[] = ['csv', 'ndjson', 'json']

/** The formats that the endings of file names can mean, the likeliest first. */
const FORMATS_BY_ENDING: Readonly<Record<string, readonly ImportFormat[]>> = {
  csv: ['csv'],
  tsv: ['csv'],
  // Excel saves its Unicode Text with this ending.
  txt: ['csv'],
  ndjson: ['ndjson'],
  jsonl: ['ndjson'],
  gpx: ['gpx'],
  kml: ['kml'],
  kmz: ['kml'],
  rec: ['owntracks'],
  geojson: ['json', 'geojson'],
  json: ['json', 'geojson', 'ndjson'],
}

/** `json`: a document that is known by its content: GeoJSON or an export of Google. */
export const POSITION_FORMATS = [
  'csv',
  'ndjson',
  'json',
  'gpx',
  'kml',
  'owntracks',
] as const satisfies ImportFormat[]
export type PositionFormat = (typeof POSITION_FORMATS)[number]

export const CATALOGUE_FORMATS = [
  'csv',
  'ndjson',
  'geojson',
  'gpx',
  'kml',
] as const satisfies ImportFormat[]
export type CatalogueFormat = (typeof CATALOGUE_FORMATS)[number]

/** GPX has points and lines, and no polygons. */
const FORMATS_OF: Readonly<Record<ItemTopic, readonly CatalogueFormat[]>> = {
  objects: ['csv', 'ndjson'],
  geofences: ['csv', 'ndjson', 'geojson', 'kml'],
  routes: CATALOGUE_FORMATS,
  sites: CATALOGUE_FORMATS,
}

/** The formats of files of a kind of items. */
export function catalogueFormats(kind: ItemTopic): readonly CatalogueFormat[] {
  return FORMATS_OF[kind]
}

/** The content of a file that an import takes. */
export type ImportKind = ItemTopic | 'positions'
export const IMPORT_KINDS: readonly ImportKind[] = [...ITEM_TOPICS, 'positions']

/** The formats of files that an import takes. */
export function formatsFor(kind: ImportKind): readonly ImportFormat[] {
  return kind === 'positions' ? POSITION_FORMATS : catalogueFormats(kind)
}

/** The formats that an ending such as `json` can mean, the likeliest first. */
export function formatsOfEnding(ending: string): readonly ImportFormat[] {
  return FORMATS_BY_ENDING[ending.toLowerCase()] ?? []
}

/** The endings of file names that can mean one of these formats. */
export function endingsOf(formats: readonly ImportFormat[]): string[] {
  return Object.keys(FORMATS_BY_ENDING).filter(
    (ending) => formatAmong(formats, ending) !== undefined,
  )
}

/** The format that an ending means among the allowed ones. Undefined: none of them. */
export function formatAmong<Format extends ImportFormat>(
  formats: readonly Format[],
  ending: string,
): Format | undefined {
  return formatsOfEnding(ending).find((each): each is Format => formats.some((one) => one === each))
}

/** The allowed format of a media type. Undefined if there is none. */
export function formatOfType<Format extends ImportFormat>(
  formats: readonly Format[],
  type: string,
): Format | undefined {
  return formats.find((format) => IMPORT_FORMATS[format].type === type)
}

/** Attributes are fields with this before their names, which a mapping names with the others. */
export const ATTRIBUTE_PREFIX = 'attributes.'

/** The field of an attribute. */
export function attributeField(name: string): string {
  return ATTRIBUTE_PREFIX + name
}

/** The choices for a CSV file that its reader cannot see in it, or that somebody made. Null: none. */
export type MappingSettings = {
  /** By field. */
  readonly columns: Readonly<Record<string, string>>
  readonly encoding: string | null
  readonly delimiter: string | null
  readonly decimal: string | null
  readonly dates: string | null
  readonly speedUnit: string | null
  readonly distanceUnit: string | null
  readonly timezone: string | null
}

/** The choices with which a file was imported, for later files with the same headings. */
export type SavedMapping = {
  /** Follows from the kind and the headings. */
  readonly id: number
  /** The import: `positions`, `objects` or a kind of places. */
  readonly kind: string
  readonly headings: readonly string[]
  /** The name of the first file, until an operator gives another. */
  readonly name: string
  readonly settings: MappingSettings
  /** Milliseconds since the epoch. */
  readonly savedAt: number
}

/** The mappings that an organization keeps. The oldest ones go. */
export const MAX_MAPPINGS = 200

/** The fields of a saved mapping that an operator changes. */
export const MAPPING_RULES: Rules<{ name: string }> = {
  name: described(ORGANIZATION_RULES.name, 'The name by which operators know such files.'),
}
