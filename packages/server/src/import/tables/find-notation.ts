import type { Field } from '../formats/columns.ts'
import type { CsvRecord } from '../formats/csv-records.ts'
import { namedSeparator, recordReader } from '../formats/csv-records.ts'
import type { Line } from '../formats/lines.ts'
import { dateWith, findDates, momentWith } from './dates.ts'
import {
  type DateOrder,
  DELIMITERS,
  type DecimalMark,
  type Delimiter,
  inFile,
  open,
  type Part,
  usual,
} from './notation.ts'
import { findDecimal } from './numbers.ts'

const NAMES = Object.keys(DELIMITERS) as Delimiter[]

/** The records at the beginning of a table. The first one is the header. */
export function recordsWith(
  delimiter: Delimiter,
  lines: readonly Line[],
  isWhole: boolean,
): CsvRecord[] {
  const take = recordReader(DELIMITERS[delimiter])
  const records = take([...lines], false)
  return isWhole ? [...records, ...take([], true)] : records
}

/**
 * The delimiter of a table by its first lines: the one that a line `sep=` names, or that alone is in the header, or that
 * gives each line as many cells as the header, or whose header has the most known names. `known` counts those.
 */
export function findDelimiter(
  lines: readonly Line[],
  isWhole: boolean,
  known: (header: readonly string[]) => number,
): Part<Delimiter> {
  const written = lines.filter(({ text }) => text !== '')
  const separator = namedSeparator(written[0]?.text ?? '')
  const named = NAMES.find((name) => DELIMITERS[name] === separator)
  if (named !== undefined) return inFile(named, written[0]!.text)
  const header = written[0]?.text ?? ''
  const present = NAMES.filter((name) => header.includes(DELIMITERS[name]))
  if (present.length === 0) return usual(',')
  if (present.length === 1) return inFile(present[0]!, header)
  const tried = present.map((name) => {
    const records = recordsWith(name, lines, isWhole)
    const isEven = records.every(({ fault }) => fault === null)
    return { name, isEven, known: known(records[0]?.cells ?? []) }
  })
  const even = tried.filter(({ isEven }) => isEven)
  const left = even.length > 0 ? even : tried
  const most = left.reduce((a, each) => Math.max(a, each.known), 0)
  const best = left.filter((each) => each.known === most)
  if (best.length === 1) return inFile(best[0]!.name, header)
  return open(
    header,
    best.map(({ name }) => ({
      value: name,
      reads: recordsWith(name, lines, isWhole)[0]!.cells.join(' · '),
    })),
  )
}

/** The cells of a field at the beginning of a table, without a unit that all of them have. */
export type Column = { field: Field; cells: readonly string[]; unit: string | null }

export function findDecimalIn(columns: readonly Column[], delimiter: Delimiter): Part<DecimalMark> {
  const numbers = columns.flatMap(({ field: { holds }, cells }) =>
    holds?.kind === 'number' || holds?.kind === 'coordinate' ? [{ of: holds, cells }] : [],
  )
  return findDecimal(numbers, delimiter)
}

export function findDatesIn(columns: readonly Column[]): Part<DateOrder> {
  const moments = columns.flatMap(({ field: { holds }, cells }) =>
    holds?.kind === 'moment'
      ? [{ read: momentWith, cells }]
      : holds?.kind === 'date'
        ? [{ read: dateWith, cells }]
        : [],
  )
  return findDates(moments)
}
