import { createInterface } from 'node:readline/promises'
import type { Option } from 'commander'
import { option } from './command.ts'
import { UsageError } from './failure.ts'
import { untilSignal } from './serve/stop-signal.ts'

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
  return option('--quiet', 'show no progress')
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

export function yesOption(): Option {
  return option('--yes', 'do not ask')
}

/**
 * Asks at the terminal whether to go on. Without a terminal `--yes` is required. The question goes to
 * stderr, because stdout is for the answer.
 */
export async function confirm(what: string, options: { yes?: boolean }): Promise<void> {
  if (options.yes) return
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`${what}; add --yes to do it, as there is no terminal to ask at`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const reply = await terminal.question(`${what}. Continue? [y/N] `)
    if (!/^y(es)?$/i.test(reply.trim())) throw new Error('nothing was deleted')
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
