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

/** `12,345` with the rate: `12,345 rows, 6,172 rows/s`. */
export function countText(count: number, things: string, milliseconds: number): string {
  const rate = milliseconds > 0 ? Math.round((count * 1000) / milliseconds) : 0
  return `${grouped(count)} ${things}, ${grouped(rate)} ${things}/s`
}

export function grouped(value: number): string {
  return value.toLocaleString('en')
}
