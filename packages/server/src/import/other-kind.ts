import { ACCURACY_RULES } from '../domain/settings/object-settings.ts'
import { documentedName } from '../domain/settings/rule.ts'
import { candidatesOf, type Field, type Mapping } from './formats/columns.ts'
import { objectKind } from './object-kind.ts'
import { POSITION_FIELDS } from './position-row.ts'
import { ImportMisuse } from './row.ts'

const TIME_AND_PLACE = fieldsOf(POSITION_FIELDS, ['time_device', 'latitude', 'longitude'])
const OBJECT_FIELDS = objectKind(1).fields
const IDENT = fieldsOf(OBJECT_FIELDS, ['ident'])
const DESCRIPTIONS = fieldsOf(OBJECT_FIELDS, ['name', 'vin', 'plate_number'])
/** Only a list of objects has these columns. One that the API wrote has the columns of a position too. */
const SETTINGS = fieldsOf(OBJECT_FIELDS, [
  ...['odometer_type', 'engine_hours_type'],
  ...Object.keys(ACCURACY_RULES).map(documentedName),
])

const NO_MAPPING: Mapping = new Map()

/** For an import of objects: a file of positions would make an object of each ident. Throws `ImportMisuse`. */
export function refusePositions(columns: readonly string[], source: string): void {
  const found = TIME_AND_PLACE.map((field) => columnOf(field, columns))
  if (found.includes(undefined) || SETTINGS.some((field) => columnOf(field, columns))) return
  throw new ImportMisuse(
    `'${source}' looks like positions: it has the columns ${found.join(', ')}. 'import positions' takes it, and creates objects with --create-objects`,
  )
}

/** For an import of positions: throws `ImportMisuse` if the columns are those of objects. */
export function refuseObjects(columns: readonly string[], mapping: Mapping, source: string): void {
  const found = [...IDENT, ...DESCRIPTIONS].map((field) => columnOf(field, columns))
  const isObjects = found[0] !== undefined && found.some((column, index) => index > 0 && column)
  if (!isObjects || TIME_AND_PLACE.some((field) => columnOf(field, columns, mapping))) return
  const names = found.filter((column) => column !== undefined)
  throw new ImportMisuse(
    `'${source}' looks like objects: it has the columns ${names.join(', ')}, and no time and place. 'import objects' takes it`,
  )
}

function fieldsOf(fields: readonly Field[], names: readonly string[]): Field[] {
  return names.map((name) => fields.find((field) => field.name === name)!)
}

function columnOf(
  field: Field,
  columns: readonly string[],
  mapping: Mapping = NO_MAPPING,
): string | undefined {
  return columns[candidatesOf(field, columns, mapping)[0] ?? -1]
}
