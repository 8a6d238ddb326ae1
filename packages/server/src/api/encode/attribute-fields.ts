import { ATTRIBUTE_TYPES, type AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { COUNT, FLAG, fieldsOf, optional, plain, TEXT } from './row-fields.ts'

const of = fieldsOf<AttributeEntry>()

const TYPE = plain<AttributeEntry['type']>({ type: 'string', enum: ATTRIBUTE_TYPES })

/** The fields of an entry of the catalogue of attributes, in the order in which answers have them. */
export const ATTRIBUTE_FIELDS = {
  name: of(TEXT, 'The name of the attribute in answers.', 'fuel_level', ({ name }) => name),
  type: of(TYPE, 'The type of its values.', 'number', ({ type }) => type),
  unit: of(
    optional(TEXT),
    'The unit of its numbers. Null where none is set.',
    '%',
    ({ unit }) => unit,
  ),
  label: of(TEXT, 'The name that people read.', 'Fuel level', ({ label }) => label),
  decimals: of(
    optional(COUNT),
    'Its numbers have at most this number of decimals. Null: its values are no numbers.',
    1,
    ({ type, decimals }) => (type === 'number' ? decimals : null),
  ),
  is_counter: of(
    FLAG,
    'Whether its number only rises, except where the device starts it again.',
    false,
    ({ isCounter }) => isCounter,
  ),
}
