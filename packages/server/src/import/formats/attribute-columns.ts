import { valueOfText } from '../../domain/attributes/attribute.ts'
import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'
import type { Given } from '../../domain/attributes/collect.ts'
import { ATTRIBUTE_PREFIX, attributeField } from '../../domain/import-formats.ts'
import type { Remarks } from '../row.ts'
import type { DecimalMark } from '../tables/notation.ts'
import { attributeFieldsIn } from './attribute-fields.ts'
import { isEmpty } from './cells.ts'
import type { Field, Mapping } from './columns.ts'

/** The fields of an import with those of the attributes that a mapping names, which come last. */
export function withAttributes(fields: readonly Field[], mapping: Mapping): readonly Field[] {
  const names = attributeFieldsIn(mapping)
  return names.length === 0 ? fields : [...fields, ...names.map((name) => ({ name, synonyms: [] }))]
}

const NONE: readonly Given[] = []

/** Picks the attributes of a row from its cells. `fields`: those of `withAttributes`, in the order of the cells. */
export function attributePicker(
  fields: readonly Field[],
): (cells: readonly unknown[]) => readonly Given[] {
  const columns = fields.flatMap(({ name }, at) =>
    name.startsWith(ATTRIBUTE_PREFIX) ? [{ name: name.slice(ATTRIBUTE_PREFIX.length), at }] : [],
  )
  if (columns.length === 0) return () => NONE
  return (cells) =>
    columns.flatMap(({ name, at }): Given[] => (isEmpty(cells[at]) ? [] : [[name, cells[at]]]))
}

/** Names that are reported. A file of GPX may have any number. */
const MAX_REPORTED = 200

/** Notes that an element of a format without columns is an attribute. */
export function noteAttribute({ columns: { used } }: Remarks, name: string): void {
  const field = attributeField(name)
  if (Object.hasOwn(used, field) || Object.keys(used).length >= MAX_REPORTED) return
  used[field] = name
}

const WITH_COMMA = /^-?\d+,\d+$/

/** Reads a cell of a table, which has no types. */
export function attributeReader(decimal: DecimalMark): (cell: string) => AttributeValue {
  if (decimal === '.') return (cell) => valueOfText(cell.trim())
  return (cell) => {
    const text = cell.trim()
    return valueOfText(WITH_COMMA.test(text) ? text.replace(',', '.') : text)
  }
}
