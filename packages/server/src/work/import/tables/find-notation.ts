import { ImportMisuse } from '../row.ts'
import { isMisread } from './cells.ts'
import type { Field } from './column-mapping.ts'
import { type CsvRecord, namedSeparator, recordReader } from './csv-records.ts'
import { dateWith, findDates, momentWith } from './dates.ts'
import type { Line } from './lines.ts'
import {
  DATE_ORDERS,
  type DateOrder,
  DECIMAL_MARKS,
  DELIMITERS,
  type DecimalMark,
  type Delimiter,
  findDecimal,
  type GivenNotation,
  inFile,
  NOTATION_PARTS,
  type NotationPart,
  open,
  type Part,
  usual,
} from './notation.ts'

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
  const delimiters = even.length > 0 ? even : tried
  const most = delimiters.reduce((a, each) => Math.max(a, each.known), 0)
  const best = delimiters.filter((each) => each.known === most)
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
    holds?.kind === 'number' || holds?.kind === 'coordinate' ? [{ number: holds, cells }] : [],
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

/** The encodings that are named to callers. `TextDecoder` knows others, and other names of these. */
const ENCODINGS = [
  ...['utf-8', 'utf-16le', 'utf-16be'],
  ...['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254'],
  ...['iso-8859-2', 'iso-8859-15', 'macintosh', 'koi8-r', 'shift_jis', 'gbk', 'big5', 'euc-kr'],
] as const

/** Encodings of the West and of the middle of Europe, which show how a text may have been meant. */
const USUAL_ENCODINGS = ['windows-1252', 'windows-1250', 'windows-1251', 'macintosh']

/** The encoding with a name such as `latin1`, as `TextDecoder` names it. Throws `ImportMisuse`. */
function encodingOf(name: string): string {
  try {
    return new TextDecoder(name).encoding
  } catch {
    throw new ImportMisuse(
      `--encoding: unknown encoding '${name}'; use one of ${ENCODINGS.join(', ')}`,
    )
  }
}

/** Whether a text begins with the byte order mark of UTF-8. */
export function isMarked(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** The encoding of a file by its first bytes, which may end within a character. */
export function findEncoding(head: Uint8Array): Part<string> {
  if (isMarked(head)) return inFile('utf-8', null)
  const damaged = damagedLine(head)
  if (damaged === null) {
    return head.every((byte) => byte < 0x80) ? usual('utf-8') : inFile('utf-8', null)
  }
  const choices = USUAL_ENCODINGS.map((value) => ({
    value,
    reads: new TextDecoder(value).decode(damaged).trim().slice(0, SHOWN_CHARACTERS),
  }))
  return open(choices[0]!.reads, choices)
}

const SHOWN_CHARACTERS = 80

const LF = 10

/** The first line that is not UTF-8, or null. */
function damagedLine(head: Uint8Array): Uint8Array | null {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return null
  } catch {
    return linesOf(head).find(isDamaged) ?? head
  }
}

function linesOf(head: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  for (let end = head.indexOf(LF); end !== -1; end = head.indexOf(LF, start)) {
    lines.push(head.subarray(start, end))
    start = end + 1
  }
  lines.push(head.subarray(start))
  return lines
}

function isDamaged(line: Uint8Array): boolean {
  return isMisread(new TextDecoder().decode(line))
}

/** The options that say how a table is written, as help and descriptions have them. */
export const NOTATION_OPTIONS: Readonly<
  Record<NotationPart, { choices: readonly string[] | null; about: string }>
> = {
  encoding: { choices: null, about: 'the encoding of a CSV file, such as windows-1252' },
  delimiter: {
    choices: Object.keys(DELIMITERS),
    about: 'the character between the cells of a CSV file',
  },
  decimal: { choices: DECIMAL_MARKS, about: 'the decimal mark of a CSV file' },
  dates: { choices: DATE_ORDERS, about: 'the order of day, month and year in a CSV file' },
}

/** The notation that a caller gives in words. Throws `ImportMisuse`. */
export function notationOf(word: (part: NotationPart) => string | null): GivenNotation {
  const encoding = word('encoding')
  return {
    encoding: encoding === null ? null : encodingOf(encoding),
    delimiter: chosen('delimiter', word('delimiter'), Object.keys(DELIMITERS) as Delimiter[]),
    decimal: chosen('decimal', word('decimal'), DECIMAL_MARKS),
    dates: chosen('dates', word('dates'), DATE_ORDERS),
  }
}

function chosen<Choice extends string>(
  part: NotationPart,
  word: string | null,
  choices: readonly Choice[],
): Choice | null {
  const choice = choices.find((each) => each === word)
  if (word === null || choice !== undefined) return choice ?? null
  throw new ImportMisuse(`--${part}: '${word}' is not one of ${choices.join(' ')}`)
}

/** Throws `ImportMisuse` if a notation is given for a file that is not a table. */
export function refuseNotation(given: GivenNotation, source: string): void {
  const part = NOTATION_PARTS.find((each) => given[each] !== null)
  if (part !== undefined) {
    throw new ImportMisuse(`--${part} is only for CSV, and '${source}' is not CSV`)
  }
}
