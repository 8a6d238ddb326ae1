import { dateWith, isPlainDate, isPlainMoment, momentWith } from './dates.ts'
import type { Column } from './find-notation.ts'
import type { DateOrder, DecimalMark } from './notation.ts'
import { isPlainNumber, numberWith } from './numbers.ts'
import { splitCell } from './units.ts'

/** The value of a cell in the form that all formats share. NaN: the cell does not hold what its field needs. */
export type CellReader = (cell: string) => unknown

/**
 * The reader of the cells of a column. Null if they are in the common form already, as in most files: then reading costs
 * nothing.
 */
export function cellReaderOf(
  { field: { holds, units = {} }, cells, unit }: Column,
  decimal: DecimalMark,
  dates: DateOrder,
  isDatesUsual: boolean,
): CellReader | null {
  switch (holds?.kind) {
    case undefined:
      return null
    case 'number':
    case 'coordinate': {
      if (decimal === '.' && unit === null && cells.every(isPlainNumber)) return null
      const of = holds.kind === 'number' ? holds : { ...holds, maximum: Number.POSITIVE_INFINITY }
      if (unit === null) return filled((cell) => numberWith(decimal, cell, of))
      return filled((cell) => {
        const split = splitCell(cell, units)
        return split?.unit === unit ? numberWith(decimal, split.number, of) : Number.NaN
      })
    }
    case 'moment':
      if (isDatesUsual && cells.every(isPlainMoment)) return null
      return filled((cell) => momentWith(dates, cell) ?? Number.NaN)
    case 'date':
      if (isDatesUsual && cells.every(isPlainDate)) return null
      return filled((cell) => dateWith(dates, cell) ?? Number.NaN)
  }
}

function filled(read: CellReader): CellReader {
  return (cell) => (cell.trim() === '' ? cell : read(cell))
}
