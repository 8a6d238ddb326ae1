import Type, { type TUnsafe } from 'typebox'
import { type FieldName, includedBy } from '../../base/domain/position/field-lists.ts'
import { FIELDS } from '../../base/domain/position/position-fields.ts'
import {
  ACCURACY_FIELDS,
  DETAIL_FIELDS,
  OBJECT_FIELDS,
  VEHICLE_FIELDS,
} from '../encode/object-fields.ts'
import { fieldSchemas, rows } from './row-schemas.ts'
import { attributes, currentAttributes, record, recordWith } from './value-schemas.ts'

/*
 * The schemas of objects and of their positions, built from the table of position fields.
 */

type Fields = typeof FIELDS
const { id, ident, name } = fieldSchemas(OBJECT_FIELDS)
/** The fields of a position row that name its object. They begin in another order than those of an object. */
const ofObject = { id, ident, name }

type ObjectField = keyof typeof ofObject
type OwnField = Exclude<FieldName, ObjectField>
type IncludedBy<Include> = {
  [Name in OwnField]: Fields[Name] extends { include: Include } ? Name : never
}[OwnField]
type Included = IncludedBy<'quality' | 'exact'>

/** A value in an answer. */
type ValueOf<Form> = Form extends { words: readonly (infer Word)[] }
  ? Word | null
  : Form extends { kind: 'switch' }
    ? boolean | null
    : Form extends { kind: 'address' | 'time' }
      ? string | null
      : number | null

type Schemas<Name extends OwnField> = { [Each in Name]: TUnsafe<ValueOf<Fields[Each]>> }

/** The schema of a field that may be null. */
function fieldSchema<Name extends OwnField>(name: Name): TUnsafe<ValueOf<Fields[Name]>> {
  return Type.Unsafe(jsonSchemaOf(name))
}

function jsonSchemaOf(name: OwnField): Record<string, unknown> {
  const field = FIELDS[name]
  const { examples } = field
  const description =
    'include' in field && field.include === 'quality'
      ? `${field.description} With \`include=quality\`.`
      : field.description
  switch (field.kind) {
    case 'time':
      return { type: ['string', 'null'], format: 'date-time', description, examples }
    case 'coordinate': {
      const { maximum } = field
      return { type: ['number', 'null'], description, minimum: -maximum, maximum, examples }
    }
    case 'measure':
    case 'counter': {
      const type = field.decimals === 0 ? 'integer' : 'number'
      return { type: [type, 'null'], description, ...boundsOf(field), examples }
    }
    case 'exact':
      return { type: ['integer', 'null'], description, examples }
    case 'address':
      return { type: ['string', 'null'], description, examples }
    case 'switch':
      return { type: ['boolean', 'null'], description, examples }
    case 'motion':
    case 'address_source':
      return { type: ['string', 'null'], enum: [...field.words, null], description, examples }
  }
}

/** Only the bounds that follow from the unit. The bounds for vehicles are not part of the contract. */
function boundsOf(field: { unit: string | null; minimum?: number; maximum: number }) {
  const { unit, minimum = 0, maximum } = field
  return {
    ...(minimum === 0 ? { minimum } : {}),
    ...(unit === 'degrees' || unit === '%' ? { maximum } : {}),
  }
}

function schemasOf<Name extends OwnField>(names: readonly FieldName[]): Schemas<Name> {
  const own = names.filter((name): name is Name => !(name in ofObject))
  return Object.fromEntries(own.map((name) => [name, fieldSchema(name)])) as Schemas<Name>
}

const contract = schemasOf<Exclude<OwnField, Included>>(includedBy(undefined))

export const exactCounters = record(
  schemasOf<IncludedBy<'exact'>>(includedBy('exact')),
  'The counters of a position as they are kept, so that nothing is rounded twice. With `include=exact`.',
)

/** The fields that `include` adds to a position. */
const included = {
  ...schemasOf<IncludedBy<'quality'>>(includedBy('quality')),
  exact: exactCounters,
  attributes,
}

/** A field that every recorded position has. */
function known<Value>(schema: TUnsafe<Value>): TUnsafe<NonNullable<Value>> {
  const [type] = (schema as unknown as { type: [string] }).type
  return Type.Unsafe({ ...schema, type })
}

/** A field that an object without a position lacks. */
function lacking<Value>(schema: TUnsafe<Value>, what: string): TUnsafe<Value> {
  const { description } = schema as unknown as { description: string }
  return Type.Unsafe({
    ...schema,
    description: `${description} Null if there never was ${what}.`,
  })
}

export const position = recordWith(
  {
    ...ofObject,
    ...contract,
    latitude: known(contract.latitude),
    longitude: known(contract.longitude),
    time_server: known(contract.time_server),
    time_device: known(contract.time_device),
  },
  included,
  'One recorded position of an object.',
)

export const latestPosition = recordWith(
  {
    ...ofObject,
    ...contract,
    latitude: lacking(contract.latitude, 'a position'),
    longitude: lacking(contract.longitude, 'a position'),
    time_server: lacking(contract.time_server, 'one'),
    time_device: lacking(contract.time_device, 'one'),
  },
  { ...included, ...currentAttributes },
  'The latest position of an object: the fields of a recorded position, null where the object never had one.',
)

/** Objects in answers. Fields are in the order in which they are written. */

export const vehicleData = rows(VEHICLE_FIELDS, 'Identity of the vehicle.')

export const accuracy = rows(
  ACCURACY_FIELDS,
  'How positions of the object are accepted and its movement detected.',
)

/** The nested parts of an object are named schemas. */
const named = { vehicle_data: vehicleData, accuracy }

export const objectListItem = record(
  { ...fieldSchemas(OBJECT_FIELDS), ...named },
  'A tracked vehicle or asset. Its position is not part of the list: see its detail, or the latest positions.',
)

/** The fields that every detail has. */
export const detailFields = { ...fieldSchemas(DETAIL_FIELDS), ...named }

export const objectDetail = recordWith(
  detailFields,
  currentAttributes,
  'A tracked vehicle or asset with a snapshot of where it is. The five location fields are null while no snapshot is available.',
)
