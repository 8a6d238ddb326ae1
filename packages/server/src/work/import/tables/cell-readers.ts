import { dateWith, isPlainDate, isPlainMoment, momentWith } from './dates.ts'
import type { Column } from './find-notation.ts'
import {
  DATE_ORDERS,
  type DateOrder,
  type DecimalMark,
  isPlainNumber,
  type NumberKind,
  numberWith,
} from './notation.ts'
import { splitCell } from './units.ts'

/** The value of a cell in the form that all formats share. NaN: the cell does not hold what its field needs. */
export type CellReader = (cell: string) => unknown

/**
 * The reader of the cells of a column. Null if they are already in the common form, as in most files: then reading costs
 * nothing. `isOpenLater`: the beginning of the file does not show the decimal mark or the order of dates. Then a later cell
 * that depends on it does not hold what its field needs.
 */
export function cellReaderOf(
  { field: { holds, units = {} }, cells, unit }: Column,
  decimal: DecimalMark,
  dates: DateOrder,
  isOpenLater: { decimal: boolean; dates: boolean },
): CellReader | null {
  switch (holds?.kind) {
    case undefined:
      return null
    case 'number':
    case 'coordinate': {
      const isUsual = decimal === '.' && !isOpenLater.decimal
      if (isUsual && unit === null && cells.every(isPlainNumber)) return null
      const number =
        holds.kind === 'number' ? holds : { ...holds, maximum: Number.POSITIVE_INFINITY }
      const read = isOpenLater.decimal
        ? (cell: string) => surelyNumber(cell, number)
        : (cell: string) => numberWith(decimal, cell, number)
      if (unit === null) return filled(read)
      return filled((cell) => {
        const split = splitCell(cell, units)
        return split?.unit === unit ? read(split.number) : Number.NaN
      })
    }
    case 'moment':
      if (isOpenLater.dates && cells.every(isPlainMoment)) return null
      return filled(dayReader(momentWith, dates, isOpenLater.dates))
    case 'date':
      if (isOpenLater.dates && cells.every(isPlainDate)) return null
      return filled(dayReader(dateWith, dates, isOpenLater.dates))
  }
}

/** Reads the cell with a decimal point. NaN if a decimal comma would give another number. */
function surelyNumber(cell: string, number: NumberKind): number {
  const [point, comma] = [numberWith('.', cell, number), numberWith(',', cell, number)]
  return Number.isNaN(comma) || comma === point ? point : Number.NaN
}

function dayReader(read: typeof momentWith, order: DateOrder, isOpen: boolean): CellReader {
  return (cell) => {
    const text = read(order, cell)
    const isSure = !isOpen || DATE_ORDERS.every((other) => read(other, cell) === text)
    return text !== null && isSure ? text : Number.NaN
  }
}

/** Characters. A longer cell is neither a number nor a time, and finding that out could take very long. */
export const LONGEST_VALUE = 200

function filled(read: CellReader): CellReader {
  return (cell) => {
    if (cell.length > LONGEST_VALUE) return Number.NaN
    return cell.trim() === '' ? cell : read(cell)
  }
}
