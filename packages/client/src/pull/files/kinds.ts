import { LISTED, type ListedItems, type ReplicaRecords } from '../../changes/change-kinds.ts'
import { COLUMNS } from '../../columns.ts'
import type { RecordKind } from '../../replica/replica-store.ts'
import type { Geofence, Level, ObjectDetail, Position, Stop, Trip, Visit } from '../../types.ts'
import { cutLine, cutRing } from './cut.ts'

/** A value of a table. `time` is ISO 8601 UTC, and `json` a structure. */
export type ColumnType = 'integer' | 'number' | 'text' | 'time' | 'json' | 'boolean'
export type Cell = string | number | boolean | null

/** A kind of rows: how they become a table, and where they are on a map. */
export type Kind<Row> = {
  columns: readonly { name: string; type: ColumnType }[]
  /** The values of all columns. */
  cells(row: Row): Cell[]
  /** A GeoJSON geometry; null without a place. */
  geometry(row: Row): object | null
  /** The fields that the geometry shows. */
  inGeometry: readonly string[]
  /** The properties of a row in GeoJSON, with those of the geometry. Default: its fields. */
  properties?(row: Row): object
}

/** Writes rows of a kind into a file, a part at a time. */
export type TableWriter<Row> = {
  add(row: Row): void
  /** Writes the rest. */
  end(): void
}

const columns = (type: ColumnType, ...names: string[]) => names.map((name) => ({ name, type }))

const AT_POINT = ['latitude', 'longitude'] as const

export const POSITIONS: Kind<Position> = {
  columns: [
    ...columns('integer', 'id'),
    ...columns('text', 'ident', 'name'),
    ...columns('number', 'latitude', 'longitude', 'altitude', 'angle', 'speed'),
    ...columns('time', 'time_server', 'time_device'),
    ...columns('number', 'engine_hours', 'odometer', 'mileage'),
    ...columns('text', 'address'),
  ],
  cells: (row) => [
    ...[row.id, row.ident, row.name, row.latitude, row.longitude, row.altitude, row.angle],
    ...[row.speed, row.time_server, row.time_device, row.engine_hours, row.odometer],
    ...[row.mileage, row.address],
  ],
  geometry: point,
  inGeometry: AT_POINT,
}

export const OBJECTS = kindOf<ObjectDetail>(
  COLUMNS.Object,
  (row) => (row.latitude === null || row.longitude === null ? null : point(row)),
  AT_POINT,
)

/** How the listed items that have a place show it. */
const PLACES: { readonly [Name in keyof ListedItems]?: Located<ListedItems[Name]> } = {
  geofence: {
    geometry: ({ coordinates }) => areaOf(cutRing(coordinates)),
    inGeometry: ['coordinates'],
  },
  route: {
    geometry: ({ coordinates }) => ({
      type: 'MultiLineString',
      coordinates: coordinates.flatMap(cutLine),
    }),
    inGeometry: ['coordinates'],
  },
  site: { geometry: point, inGeometry: AT_POINT },
}
type Located<Row> = Pick<Kind<Row>, 'geometry' | 'inGeometry'>

const TRIPS = kindOf<Trip>(COLUMNS.Trip, lineOf, [])

const STOPS = kindOf<Stop>(COLUMNS.Stop, point, AT_POINT)

/** The place of a visit is in the file of its kind. */
const VISITS = kindOf<Visit>(COLUMNS.Visit, () => null, [])

const LEVELS = kindOf<Level>(COLUMNS.Level, point, AT_POINT)

/** The tables of listed items, and those of records. */
export const LISTED_KINDS = Object.fromEntries(
  (Object.keys(LISTED) as (keyof ListedItems)[]).map((name) => {
    const { geometry = () => null, inGeometry = [] } = (PLACES[name] ?? {}) as Partial<
      Located<never>
    >
    return [name, kindOf(COLUMNS[schemaNameOf(name)], geometry as () => null, inGeometry)]
  }),
) as unknown as { readonly [Name in keyof ListedItems]: Kind<ListedItems[Name]> }
export const RECORD_KINDS: { readonly [Name in RecordKind]: Kind<ReplicaRecords[Name]> } = {
  trip: TRIPS,
  stop: STOPS,
  visit: VISITS,
  level: LEVELS,
}

/** The name `Site` of a `site` in the description of the API. */
function schemaNameOf<Name extends string>(name: Name): Capitalize<Name> {
  return `${name[0]!.toUpperCase()}${name.slice(1)}` as Capitalize<Name>
}

type Column = { name: string; type: ColumnType; within?: string }

/** A kind whose columns are the fields of its rows, or of a structure within them. */
function kindOf<Row extends object>(
  all: readonly Column[],
  geometry: Kind<Row>['geometry'],
  inGeometry: readonly string[],
): Kind<Row> {
  const cells = (row: Row) =>
    all.map(({ name, type, within }) => {
      const fields = row as Record<string, Cell | object | undefined>
      const holder = within === undefined ? fields : ((fields[within] ?? {}) as typeof fields)
      const value = holder[name]
      return type === 'json' ? json(value as object | undefined) : ((value ?? null) as Cell)
    })
  return { columns: all, cells, geometry, inGeometry }
}

/** From the start of a trip to its end. The positions between them are in their own files. */
function lineOf(trip: Trip): object {
  const start: [number, number] = [trip.start_longitude, trip.start_latitude]
  if (trip.end_longitude === null || trip.end_latitude === null) {
    return { type: 'Point', coordinates: start }
  }
  const [part, ...others] = cutLine([start, [trip.end_longitude, trip.end_latitude]])
  return others.length === 0
    ? { type: 'LineString', coordinates: part }
    : { type: 'MultiLineString', coordinates: [part, ...others] }
}

function point({ latitude, longitude }: { latitude: number | null; longitude: number | null }) {
  return { type: 'Point', coordinates: [longitude, latitude] }
}

/** The polygon of a ring, or the polygons of one that crosses the antimeridian. */
function areaOf(rings: Geofence['coordinates'][]): object {
  return rings.length === 1
    ? { type: 'Polygon', coordinates: rings }
    : { type: 'MultiPolygon', coordinates: rings.map((ring) => [ring]) }
}

/** A server may leave a field out. */
export function json(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
