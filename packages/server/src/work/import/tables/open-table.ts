import type { SavedMapping } from '../../../base/domain/import-formats.ts'
import { documentedName } from '../../../base/domain/setting-rule.ts'
import { formatInstant } from '../../../base/domain/time/time.ts'
import { chunksOf } from '../import-source.ts'
import { ImportMisuse, type Remarks, SeveralColumns } from '../row.ts'
import { type CellReader, cellReaderOf, LONGEST_VALUE } from './cell-readers.ts'
import { attributeReader, plainCell, withAttributes } from './cells.ts'
import {
  type Candidates,
  candidatesFor,
  candidatesOf,
  checkCandidates,
  checkMapping,
  type Field,
  type Layout,
  noteColumns,
} from './column-mapping.ts'
import type { CsvRecord } from './csv-records.ts'
import { dateWith, isClock } from './dates.ts'
import {
  type Column,
  findDatesIn,
  findDecimalIn,
  findDelimiter,
  findEncoding,
  isMarked,
  recordsWith,
} from './find-notation.ts'
import { type Line, readLines } from './lines.ts'
import {
  type DateOrder,
  type Delimiter,
  given,
  inFile,
  NOTATION_PARTS,
  type Notation,
  type NotationFound,
  orSaved,
  type Part,
} from './notation.ts'
import type { Program } from './programs.ts'
import { splitCell, unitOfCells } from './units.ts'

/** The beginning of a table. It is whole if the table has no more bytes. `decodedFrom`: as a source has it. */
export type Head = { bytes: Uint8Array; isWhole: boolean; decodedFrom: string | null }

/** A table whose notation is known, and the columns of the fields. */
export type OpenTable = {
  notation: Notation
  /** The encoding of the bytes, which a source may have decoded already. */
  decodeAs: string
  /** Those of the layout, and those of attributes after them. */
  fields: readonly Field[]
  /** The column of each field, or -1. */
  columns: readonly number[]
  /** The column of each field that has the letter of its side of the equator or of Greenwich. Null: there are none. */
  sides: readonly number[] | null
  /** By field. */
  readers: readonly (CellReader | null)[]
  /** The field of the last column, or null. */
  lastField: string | null
}

/**
 * Finds out how a table is written: from what is given, from the saved mapping with the same headings, and from the
 * beginning of the table. Notes in the remarks what it found. Null if the table is empty. Throws `ImportMisuse` if the
 * columns do not fit, or if the table can be read in several ways.
 */
export async function openTable(
  head: Head,
  source: string,
  layout: Layout,
  remarks: Remarks,
): Promise<OpenTable | null> {
  const first = await startOf(head, layout)
  if (first === null) return null
  const { header, rows, saved } = first
  const mapping = new Map([...Object.entries(saved?.settings.columns ?? {}), ...layout.mapping])
  const fields = withAttributes(layout.fields, mapping)
  const expected = { ...layout, fields, mapping }
  const candidates = withoutSpareDates(expected, candidatesFor(expected, header), rows)
  const columns = candidates.of.map(([best]) => best ?? -1)
  const sides = sidesIn(header, fields)
  const sampled = fields.map((field, at): Column => {
    const cells = cellsAt(rows, columns[at]!, sides?.[at])
    const unit = columns[at] === -1 ? null : unitOfCells(cells, field.units ?? {})
    if (unit === null) return { field, cells, unit }
    remarks.units[field.name] = unit
    const numbers = cells.map((cell) => splitCell(cell, field.units ?? {})?.number ?? cell)
    return { field, cells: numbers, unit }
  })
  const notation = partsOf(first, layout, sampled, candidates.program)
  remarks.table = { headings: header, notation, saved }
  if (saved !== null) remarks.notes.add(savedNote(saved))
  noteColumns(remarks, expected, header, candidates)
  const isSide = (name: string) => sides?.some((side) => header[side] === name)
  remarks.columns.ignored = remarks.columns.ignored.filter((name) => !isSide(name))
  checkMapping(mapping, header, source)
  if (candidates.program?.refused !== undefined) {
    throw new ImportMisuse(`'${source}' is ${candidates.program.refused}`)
  }
  layout.refuseOtherKind(header, source)
  checkCandidates(expected, header, candidates, source)
  checkTwins(expected, columns, first, source)
  checkRequired(layout, columns, header, source, candidates.program)
  const decided = decidedOf(notation, source)
  const isOpenLater = {
    // Programs that separate cells by commas write no points between thousands.
    decimal: notation.decimal.from === 'usual' && decided.delimiter !== ',',
    dates: notation.dates.from === 'usual',
  }
  return {
    notation: decided,
    decodeAs: head.decodedFrom === null ? decided.encoding : 'utf-8',
    columns,
    fields,
    sides,
    readers: sampled.map((column, at) =>
      at < layout.fields.length
        ? cellReaderOf(column, decided.decimal, decided.dates, isOpenLater)
        : attributeReader(decided.decimal),
    ),
    lastField: fields[columns.indexOf(header.length - 1)]?.name ?? null,
  }
}

type Start = {
  header: readonly string[]
  rows: readonly CsvRecord[]
  encoding: Part<string>
  delimiter: Part<Delimiter>
  saved: SavedMapping | null
}

/** The header and the first rows, with the encoding and the delimiter. Null: there is no header. */
async function startOf(head: Head, layout: Layout): Promise<Start | null> {
  const encoding = encodingOf(head, layout.given.encoding)
  const known = (header: readonly string[]) =>
    layout.fields.filter((field) => candidatesOf(field, header, layout.mapping).length > 0).length

  const readAs = async ({ encoding: kept, delimiter: keptDelimiter }: KeptNotation) => {
    const read = orSaved(encoding, kept)
    const shown = read.value ?? read.choices[0]!.value
    const lines = await linesIn(head, head.decodedFrom === null ? shown : 'utf-8')
    const found =
      layout.given.delimiter === null
        ? findDelimiter(lines, head.isWhole, known)
        : given(layout.given.delimiter)
    const delimiter = orSaved(found, keptDelimiter as Delimiter | null)
    const use = delimiter.value ?? (delimiter.choices[0]!.value as Delimiter)
    const [header, ...rows] = recordsWith(use, lines, head.isWhole)
    return header === undefined
      ? null
      : {
          header: distinct(header.cells),
          rows,
          encoding: read,
          delimiter,
        }
  }

  /** Each notation is tried once: most of the saved mappings have the same. */
  const starts = new Map<string, ReturnType<typeof readAs>>()
  const startWith = ({ encoding: kept, delimiter }: KeptNotation) => {
    const key = `${kept} ${delimiter}`
    const start = starts.get(key) ?? readAs({ encoding: kept, delimiter })
    starts.set(key, start)
    return start
  }
  for (const saved of layout.saved) {
    const start = await startWith(saved.settings)
    if (start !== null && isSameHeader(start.header, saved.headings)) return { ...start, saved }
  }
  const start = await startWith({ encoding: null, delimiter: null })
  return start && { ...start, saved: null }
}

/** The headings of a table. Further ones of the same name get a number, so that callers can name them: `speed (2)`. */
function distinct(cells: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return cells.map((cell) => {
    const heading = plainCell(cell).trim()
    const count = (counts.get(heading) ?? 0) + 1
    counts.set(heading, count)
    return count === 1 || heading === '' ? heading : `${heading} (${count})`
  })
}

/** Throws `SeveralColumns` if a column has the heading of another one and other values, and the caller chose neither. */
function checkTwins(
  { fields, mapping }: Layout,
  columns: readonly number[],
  { header, rows }: Start,
  source: string,
): void {
  for (const [index, { name }] of fields.entries()) {
    const [column, heading] = [columns[index]!, header[columns[index]!]]
    const twin = header.indexOf(`${heading} (2)`)
    if (column === -1 || twin === -1 || mapping.has(name)) continue
    const [own, others] = [cellsAt(rows, column), cellsAt(rows, twin)]
    if (own.length > 0 && others.every((cell, at) => cell === own[at])) continue
    throw new SeveralColumns(
      `'${source}' has several columns named '${heading}': the second is '${header[twin]}'; choose one with --map ${name}=COLUMN`,
      { field: name, columns: [heading!, header[twin]!] },
    )
  }
}

type KeptNotation = Pick<SavedMapping['settings'], 'encoding' | 'delimiter'>

/** A byte order mark is right whatever a caller says. */
function encodingOf(head: Head, named: string | null): Part<string> {
  if (head.decodedFrom !== null) return inFile(head.decodedFrom, null)
  return named === null || isMarked(head.bytes) ? findEncoding(head.bytes) : given(named)
}

function isSameHeader(header: readonly string[], headings: readonly string[]): boolean {
  return header.length === headings.length && header.every((name, at) => name === headings[at])
}

/** The lines at the beginning, without one that the end of the beginning cuts. */
async function linesIn({ bytes, isWhole }: Head, encoding: string): Promise<Line[]> {
  const lines = (await Array.fromAsync(readLines(chunksOf(bytes, bytes.length), encoding))).flat()
  return isWhole || lines.at(-1)?.ended !== false ? lines : lines.slice(0, -1)
}

function cellsAt(rows: readonly CsvRecord[], column: number, side = -1): string[] {
  if (column === -1) return []
  return rows
    .filter(({ fault }) => fault === null)
    .map(({ cells }) => cellAt(cells, column, side))
    .filter(({ length }) => length <= LONGEST_VALUE)
}

/** A cell, with the letter of another one if a coordinate has its side there. */
export function cellAt(cells: readonly string[], column: number, side: number): string {
  const cell = plainCell(cells[column] ?? '')
  return side === -1 ? cell : `${cell.trim()}${(cells[side] ?? '').trim()}`
}

/** The names of columns with the side of a coordinate. */
const SIDES: Readonly<Record<string, readonly string[]>> = {
  latitude: ['n/s', 'ns', 'lat dir', 'latitude hemisphere'],
  longitude: ['e/w', 'ew', 'lon dir', 'longitude hemisphere'],
}

function sidesIn(header: readonly string[], fields: readonly Field[]): number[] | null {
  const names = header.map((name) => name.trim().toLowerCase())
  const sides = fields.map(({ name }) => {
    const own = SIDES[name]
    return own === undefined ? -1 : names.findIndex((each) => own.includes(each))
  })
  return sides.every((side) => side === -1) ? null : sides
}

/**
 * The candidates of all fields, where the date is a field only if the time of day has a column of its own. A column of
 * dates that has the time as well is the time's.
 */
function withoutSpareDates(
  { fields, mapping }: Layout,
  candidates: Candidates,
  rows: readonly CsvRecord[],
): Candidates {
  const all = [...candidates.of]
  const dateAt = fields.findIndex(({ holds }) => holds?.kind === 'date')
  const timeAt = fields.findIndex(({ holds }) => holds?.kind === 'moment')
  const [date, time] = [all[dateAt]?.[0], all[timeAt]?.[0]]
  if (date === undefined || mapping.has('date')) return candidates
  const filled = (column: number) => cellsAt(rows, column).filter((cell) => cell.trim() !== '')
  if (time === undefined) {
    const isOnlyDates = filled(date).some((cell) => dateWith('DMY', cell) !== null)
    if (!isOnlyDates) all[timeAt] = all[dateAt]!
  }
  if (time === undefined || !filled(time).some(isClock)) all[dateAt] = []
  return { ...candidates, of: all }
}

function partsOf(
  start: Start,
  { given: known }: Layout,
  sampled: readonly Column[],
  program: Program | undefined,
): NotationFound {
  const { encoding, delimiter, saved } = start
  const { decimal, dates } = saved?.settings ?? { decimal: null, dates: null }
  return {
    encoding,
    delimiter,
    decimal:
      known.decimal === null
        ? orSaved(findDecimalIn(sampled, delimiter.value ?? ';'), decimal as Notation['decimal'])
        : given(known.decimal),
    dates:
      known.dates === null
        ? orSaved(datesOf(sampled, program), dates as Notation['dates'])
        : given(known.dates),
  }
}

/** The order of dates that the file shows, else that of its program. */
function datesOf(sampled: readonly Column[], program: Program | undefined): Part<DateOrder> {
  const found = findDatesIn(sampled)
  return found.from === 'file' || program?.dates === undefined ? found : inFile(program.dates, null)
}

function savedNote({ name, settings: { columns, ...others }, savedAt }: SavedMapping): string {
  const pairs = Object.entries(columns).map(([field, column]) => `${field}=${column}`)
  const choices = Object.entries(others).filter(([, value]) => value !== null)
  const texts = choices.map(([name, value]) => `${documentedName(name).replace('_', ' ')} ${value}`)
  return `read as '${name}', a file with the same headings that was imported on ${formatInstant(savedAt).slice(0, 10)}: ${[...pairs, ...texts].join(', ')}`
}

function checkRequired(
  { fields, required }: Layout,
  columns: readonly number[],
  header: readonly string[],
  source: string,
  program: Program | undefined,
): void {
  for (const [at, { name, synonyms }] of fields.entries()) {
    if (columns[at] !== -1 || !required.includes(name)) continue
    if (name === 'ident' && program?.identless !== undefined) {
      throw new ImportMisuse(
        `'${source}' does not name the device of its positions: ${program.identless}; use --ident IDENT or --map ident=COLUMN`,
      )
    }
    const names = [name, ...synonyms].join(', ')
    throw new ImportMisuse(
      `'${source}' has no column for ${name} (${names}); choose one of ${header.join(', ')} with --map ${name}=COLUMN`,
    )
  }
}

const QUESTIONS: Record<keyof Notation, string> = {
  encoding: 'is not UTF-8, and its encoding is unclear',
  delimiter: 'does not show which character separates its cells',
  decimal: 'does not show whether its decimal mark is a point or a comma',
  dates: 'does not show the order of day, month and year',
}

/** The notation if it is certain. Throws `ImportMisuse` with the options to give. */
function decidedOf(found: NotationFound, source: string): Notation {
  const open = NOTATION_PARTS.filter((part) => found[part].from === 'open')
  if (open.length > 0) {
    const sentences = open.map((part) => {
      const readings = found[part].choices.map(({ value, reads }) => `--${part} ${value}: ${reads}`)
      return `'${source}' ${QUESTIONS[part]} ('${found[part].example}'); use one of ${readings.join('; ')}`
    })
    throw new ImportMisuse(sentences.join('. '))
  }
  const [encoding, delimiter, decimal, dates] = NOTATION_PARTS.map((part) => found[part].value)
  return { encoding, delimiter, decimal, dates } as Notation
}
