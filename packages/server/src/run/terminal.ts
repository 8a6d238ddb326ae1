import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import type { Option } from 'commander'
import { maxOf } from '../base/domain/common/any-number.ts'
import { plainNumber } from '../base/domain/common/plain-json.ts'
import { type CommandResult, option } from './command.ts'
import { harmless, UsageError } from './failure.ts'
import { untilSignal } from './serve/stop-signal.ts'

/*
 * The output of a command: progress, questions, counts and tables.
 */

/** A line of progress: rewritten on a terminal, appended now and then in a log. */
export type ProgressLine = {
  /** `text` is called only when a line is due. */
  show(text: () => string): void
  /** Clears the line for later output. */
  end(): void
}

const TERMINAL_EVERY_MS = 200
const LOG_EVERY_MS = 5_000

/** `now` returns milliseconds. The first line comes after the first interval. */
export function openProgressLine(stream: NodeJS.WriteStream, now: () => number): ProgressLine {
  const isTerminal = stream.isTTY === true
  const every = isTerminal ? TERMINAL_EVERY_MS : LOG_EVERY_MS
  let shown = now()
  return {
    show(text) {
      const time = now()
      if (time - shown < every) return
      shown = time
      stream.write(isTerminal ? `\r\u001b[K${text()}` : `${text()}\n`)
    },
    end() {
      if (isTerminal) stream.write('\r\u001b[K')
    },
  }
}

/** For commands that show their progress. */
export function quietOption(): Option {
  return option('--quiet', 'hide progress')
}

/** Runs work with a signal that SIGINT and SIGTERM abort, and with a line of progress on stderr, unless `quiet`. */
export function withProgress<Result>(
  quiet: boolean | undefined,
  work: (signal: AbortSignal, show: ProgressLine['show']) => Promise<Result>,
): Promise<Result> {
  if (quiet === true) return untilSignal((signal) => work(signal, () => undefined))
  const line = openProgressLine(process.stderr, () => performance.now())
  return untilSignal((signal) => work(signal, line.show)).finally(line.end)
}

/** `12,345` with the rate: `12,345 rows, 6,172 rows/s`. */
export function countText(count: number, things: string, milliseconds: number): string {
  const rate = milliseconds > 0 ? Math.round((count * 1000) / milliseconds) : 0
  return `${grouped(count)} ${things}, ${grouped(rate)} ${things}/s`
}

export function grouped(value: number): string {
  return value.toLocaleString('en')
}

/** `1,234 rows`, and `1 row`. */
export function counted(count: number, thing: string): string {
  return `${grouped(count)} ${thing}${count === 1 ? '' : 's'}`
}

const MEGABYTE = 1_000_000

/** `1.2 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}

export function yesOption(): Option {
  return option('--yes', 'do not ask')
}

/**
 * Asks at the terminal whether to continue. Without a terminal `--yes` is required. The question goes to stderr,
 * because stdout is for the answer.
 */
export async function confirm(what: string, options: { yes?: boolean }): Promise<void> {
  if (options.yes) return
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`${what}; add --yes to confirm, because there is no terminal to ask`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const reply = await terminal.question(`${what}. Continue? [y/N] `)
    if (!/^y(es)?$/i.test(reply.trim())) throw new Error('nothing was changed')
  } finally {
    terminal.close()
  }
}

/** Output that waits until something else has been written. */
type HeldOutput = {
  write(lines: string | Buffer): void
  /** Writes the held output, and everything later at once. */
  open(): void
}

export function holdOutput(out: (lines: string | Buffer) => void): HeldOutput {
  let held: (string | Buffer)[] | null = []
  return {
    write(lines) {
      if (held === null) out(lines)
      else held.push(lines)
    },
    open() {
      const lines = held ?? []
      held = null
      for (const each of lines) out(each)
    },
  }
}

export type Cell = string | number | boolean | null

/**
 * Rows under headings, with aligned columns and numbers to the right. Null is shown as `-`. Headings are
 * bold if stdout is a terminal without NO_COLOR.
 */
export function table(headings: string[], rows: Cell[][]): string {
  const texts = rows.map((row) => row.map(show))
  const widths = headings.map((heading, column) =>
    texts.reduce((widest, row) => Math.max(widest, width(row[column]!)), width(heading)),
  )
  const isNumeric = headings.map(
    (_, column) =>
      rows.some((row) => typeof row[column] === 'number') &&
      rows.every((row) => typeof row[column] !== 'string'),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => {
        const padding = ' '.repeat(widths[column]! - width(cell))
        return isNumeric[column] ? padding + cell : cell + padding
      })
      .join('  ')
      .trimEnd()
  return [emphasis(line(headings)), ...texts.map(line)].join('\n')
}

/** The fields of one item, one for each line. */
export function card(fields: Record<string, Cell>): string {
  const longest = maxOf(Object.keys(fields).map(width))
  return Object.entries(fields)
    .map(([name, value]) => `${emphasis(name.padEnd(longest))}  ${show(value)}`)
    .join('\n')
}

function show(cell: Cell): string {
  if (cell === null) return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return harmless(typeof cell === 'number' ? plainNumber(cell) : cell)
}

function emphasis(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

const graphemes = new Intl.Segmenter()

/** The width of a text in columns: East Asian scripts and emoji take two. */
function width(text: string): number {
  // Segmenting takes far longer, and a long table has hundreds of thousands of cells.
  if (/^[ -~]*$/.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) {
    columns +=
      /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(
        segment,
      )
        ? 2
        : 1
  }
  return columns
}

/** A field, or a heading with the field or the text below it. */
export type Column<Row> = Name<Row> | readonly [heading: string, Name<Row> | ((row: Row) => Cell)]
type Name<Row> = keyof Row & string

/** A list of documents: a table of some of their fields. The heading of `last_used_at` is LAST USED. */
export function listing<Row extends object>(
  json: readonly Row[],
  columns: readonly Column<Row>[],
): CommandResult {
  const parts = columns.map((column) =>
    typeof column === 'string' ? ([headingOf(column), column] as const) : column,
  )
  const cellOf = (row: Row, cell: Name<Row> | ((row: Row) => Cell)) =>
    typeof cell === 'string' ? (row[cell] as Cell) : cell(row)
  const text = table(
    parts.map(([heading]) => heading),
    json.map((row) => parts.map(([, cell]) => cellOf(row, cell))),
  )
  return { json, text }
}

function headingOf(field: string): string {
  return field.replace(/_at$/, '').replaceAll('_', ' ').toUpperCase()
}
