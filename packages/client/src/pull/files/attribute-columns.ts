import type { Attribute, ObjectDetail } from '../../types.ts'
import type { ColumnType, Kind } from './kinds.ts'

type Attributes = Pick<ObjectDetail, 'attributes' | 'attributes_at'>
type Column = { name: string; type: ColumnType; value(row: Attributes): Value | undefined }
type Value = string | number | boolean

const TYPES = { number: 'number', boolean: 'boolean', text: 'string' } as const

/**
 * A kind with a typed column for each attribute, as the API names it: `fuel_level`. `isCurrent`: with its time in another
 * one, `fuel_level__at`.
 */
export function withAttributes<Row extends Attributes>(
  kind: Kind<Row>,
  catalogue: readonly Attribute[],
  isCurrent: boolean,
): Kind<Row> {
  const columns = catalogue.flatMap((attribute) => columnsOf(attribute, isCurrent))
  return {
    ...kind,
    columns: [...kind.columns, ...columns.map(({ name, type }) => ({ name, type }))],
    cells: (row) => [...kind.cells(row), ...columns.map(({ value }) => value(row) ?? null)],
    properties({ attributes, attributes_at, ...fields }) {
      const row = { attributes, attributes_at } as Attributes
      const named = columns.map(({ name, value }) => [name, value(row)] as const)
      const known = named.filter(([, value]) => value !== undefined)
      return { ...fields, ...Object.fromEntries(known) }
    },
  }
}

function columnsOf({ name, type }: Attribute, isCurrent: boolean): Column[] {
  const own: Column = { name, type, value: ({ attributes }) => typed(attributes?.[name], type) }
  const time: Column = {
    name: `${name}__at`,
    type: 'time',
    value: ({ attributes_at }) => typed(attributes_at?.[name], 'text'),
  }
  return isCurrent ? [own, time] : [own]
}

/** Undefined for another type: the operator may have changed it after the row came. The next run reads everything again. */
function typed(value: Value | undefined, type: Attribute['type']): Value | undefined {
  return typeof value === TYPES[type] ? value : undefined
}
