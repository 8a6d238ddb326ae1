import { type Fault, fault } from '../row.ts'
import { type Line, LONGEST_LINE, readLines } from './lines.ts'

/** A record as in RFC 4180: one or more lines of text, and their cells. */
export type CsvRecord = {
  line: number
  text: string
  cells: string[]
  fault: Fault | null
  /** Whether a line end followed. */
  ended: boolean
}

/** The most lines of one record, which has no more characters than a line. A quote still open after them was not meant as one. */
const LONGEST_RECORD = 1000

const QUOTE = 34

/**
 * `hopeless`: the number of the line before which an open quote was never closed as one, or 0. A quote that an earlier
 * line opens is not looked for again.
 */
type Shape = { delimiter: string; width: number; hopeless: number }
type Split = { cells: string[]; next: number }

/** A line such as `sep=;`, which Excel writes and reads before the header. */
const SEPARATOR_LINE = /^"?sep=(.)"?$/i

/** The mark between cells that the first line of a file names. Null: it names none. */
export function namedSeparator(line: string): string | null {
  return SEPARATOR_LINE.exec(line)?.[1] ?? null
}

/** Some loggers fill their cells with zero bytes. */
function isPadded({ text }: Line): boolean {
  return text.includes('\0')
}

function withoutPadding(line: Line): Line {
  return { ...line, text: line.text.replaceAll('\0', '') }
}

/** Takes lines, and returns the records that are complete. */
export type RecordReader = (lines: Line[], isEnd: boolean) => CsvRecord[]

/**
 * Reads the records of CSV (RFC 4180, with any delimiter of one character). The first record is the header, and each
 * other record has as many cells. Blank lines are skipped, and a first line that names the delimiter. A line end inside
 * quotes is read as LF. A broken record loses only its first line.
 *
 * This is our own code because it decides the speed of an import. `csv-parse`, against which it is
 * tested, takes five times as long.
 */
export function recordReader(delimiter: string): RecordReader {
  const shape: Shape = { delimiter, width: 0, hopeless: 0 }
  let waiting: Line[] = []

  return (lines, isEnd) => {
    const plain = lines.some(isPadded) ? lines.map(withoutPadding) : lines
    waiting = waiting.length === 0 ? plain : waiting.concat(plain)
    const records: CsvRecord[] = []
    let at = 0
    while (at < waiting.length) {
      const line = waiting[at]!
      if (line.text === '' || (line.number === 1 && namedSeparator(line.text) !== null)) {
        at += 1
        continue
      }
      const split = line.tooLong ? 'broken' : splitRecord(waiting, at, shape)
      if (split === 'open' && !isEnd) break
      const record = recordOf(waiting, at, split, shape)
      if (shape.width === 0) shape.width = record.cells.length
      records.push(record)
      at = typeof split === 'object' ? split.next : nextLine(waiting, at, split, shape)
    }
    waiting = waiting.slice(at)
    return records
  }
}

/** The records of a text in portions. `encoding`: as `TextDecoder` names it. */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  encoding: string,
): AsyncGenerator<CsvRecord[]> {
  const take = recordReader(delimiter)
  for await (const lines of readLines(bytes, encoding)) {
    const records = take(lines, false)
    if (records.length > 0) yield records
  }
  const records = take([], true)
  if (records.length > 0) yield records
}

function recordOf(
  lines: Line[],
  at: number,
  split: Split | 'open' | 'broken',
  shape: Shape,
): CsvRecord {
  const { number, text } = lines[at]!
  if (typeof split === 'object') {
    const { ended } = lines[split.next - 1]!
    const { cells } = split
    return { line: number, text, cells, fault: widthFault(cells, shape.width, ended), ended }
  }
  const isCut = split === 'open' && nextLine(lines, at, split, shape) === lines.length
  const detail = lines[at]!.tooLong ? 'the line is too long' : 'it has an unclosed quote'
  return {
    line: number,
    text,
    cells: [],
    fault: fault(isCut ? 'truncated' : 'malformed', detail),
    ended: lines[at]!.ended,
  }
}

function widthFault(cells: string[], width: number, ended: boolean): Fault | null {
  if (width === 0 || cells.length === width) return null
  if (cells.length > width && cells.slice(width).every((cell) => cell === '')) return null
  const detail = `it has ${cells.length} cells, the header ${width}`
  return fault(!ended && cells.length < width ? 'truncated' : 'malformed', detail)
}

/**
 * The line after a broken record. A quote still open at the end was cut off, or was never meant as one:
 * the next line decides.
 */
function nextLine(lines: Line[], at: number, split: 'open' | 'broken', shape: Shape): number {
  if (split === 'broken' || at + 1 >= lines.length) return at + 1
  const next = splitRecord(lines, at + 1, shape)
  const isRecord = typeof next === 'object' && next.cells.length === shape.width
  return isRecord ? at + 1 : lines.length
}

/**
 * The cells of the record that begins at line `at`. `open`: a quote is still open after the last line.
 */
function splitRecord(lines: Line[], at: number, shape: Shape): Split | 'open' | 'broken' {
  const { text } = lines[at]!
  if (!text.includes('"')) return { cells: text.split(shape.delimiter), next: at + 1 }
  return splitQuoted(lines, at, shape)
}

function splitQuoted(lines: Line[], first: number, shape: Shape): Split | 'open' | 'broken' {
  const { delimiter } = shape
  const cells: string[] = []
  let line = first
  let { text } = lines[line]!
  let at = 0
  let length = 0

  /** `end`: the line at which the record proved to be none. */
  function broken(end: number): 'broken' {
    shape.hopeless = Math.max(shape.hopeless, lines[first]!.number + end - first)
    return 'broken'
  }

  for (;;) {
    if (text.charCodeAt(at) === QUOTE) {
      let cell = ''
      let close = text.indexOf('"', at + 1)
      at += 1
      while (close === -1 || text.charCodeAt(close + 1) === QUOTE) {
        if (close === -1) {
          cell += `${text.slice(at)}\n`
          line += 1
          length += text.length
          if (lines[first]!.number < shape.hopeless) return 'broken'
          if (line - first >= LONGEST_RECORD || length > LONGEST_LINE) return broken(line)
          if (line === lines.length) return 'open'
          if (lines[line]!.tooLong) return broken(line)
          text = lines[line]!.text
          at = 0
        } else {
          cell += text.slice(at, close + 1)
          at = close + 2
        }
        close = text.indexOf('"', at)
      }
      cells.push(cell + text.slice(at, close))
      at = close + 1
    } else {
      const end = text.indexOf(delimiter, at)
      const stop = end === -1 ? text.length : end
      cells.push(text.slice(at, stop))
      at = stop
    }
    if (at === text.length) return { cells, next: line + 1 }
    if (!text.startsWith(delimiter, at)) return broken(line)
    at += 1
  }
}
