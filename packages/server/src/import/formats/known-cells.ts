import { valueOfText } from '../../domain/attributes/attribute.ts'
import type { Given } from '../../domain/attributes/attribute-section.ts'
import type { AttributeValue } from '../../domain/attributes/catalogue.ts'
import { ATTRIBUTE_PREFIX, attributeField } from '../../domain/import-formats.ts'
import { type SentNumber, sentValue, withSpeedFactor } from '../../domain/position/field-lists.ts'
import type { Remarks } from '../row.ts'
import type { DecimalMark } from '../tables/notation.ts'
import { isEmpty, SPEED_UNITS, type SpeedUnit } from './cells.ts'
import { attributeFieldsIn, type Field, type Mapping } from './columns.ts'

/** The values of a fix by the names of its fields, in the units of `Fix`. */
export type Values = Map<string, unknown>

export type KnownCells = {
  /** The cells of a row. */
  cells(values: Values): unknown[]
  /** Adds the numbers of a format to the values of a fix in line `line`. */
  addNumbers(values: Values, sent: Readonly<Record<string, unknown>>, line: number): void
  /** Remarks on the numbers that could not be read. */
  finish(): void
}

/**
 * The cells of formats with fixed names and units. A number that cannot be read, or that no vehicle can have, stays
 * unknown and costs nothing else of its fix; `finish` notes how many there were. `speedUnit`: the caller's, which
 * replaces the format's.
 */
export function knownCells(
  fields: readonly Field[],
  numbers: readonly SentNumber[],
  speedUnit: SpeedUnit | null,
  remarks: Remarks,
): KnownCells {
  const known = speedUnit === null ? numbers : withSpeedFactor(numbers, SPEED_UNITS[speedUnit])
  const unread = unreadNumbers(remarks)
  return {
    cells: (values) => fields.map(({ name }) => values.get(name)),
    addNumbers(values, sent, line) {
      for (const number of known) {
        const value = sentValue(sent[number.name], number)
        if (value === undefined) unread.add(number.name, line)
        else if (value !== null) values.set(number.field, value)
      }
    },
    finish: unread.finish,
  }
}

/** Counts the numbers that could not be read, by their names in the file. */
export function unreadNumbers(remarks: Remarks) {
  const counts = new Map<string, { count: number; line: number }>()
  return {
    add(name: string, line: number): void {
      const before = counts.get(name)
      if (before === undefined) counts.set(name, { count: 1, line })
      else before.count += 1
    },
    finish(): void {
      for (const [name, { count, line }] of counts) {
        const positions = count === 1 ? '1 position' : `${count.toLocaleString('en')} positions`
        remarks.notes.add(
          `${name} counts as unknown in ${positions}, the first in line ${line}: it is no number, or one that no vehicle can have`,
        )
      }
    },
  }
}

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
