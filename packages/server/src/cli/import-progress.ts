/** Where the progress of an import is shown. */
export type ProgressLine = {
  /** Rows and bytes read of `name` so far; `size` in bytes, where it is known. */
  show(name: string, rows: number, bytes: number, size: number | null): void
  /** Clears the line for what comes after it. */
  end(): void
}

const SILENT: ProgressLine = { show: () => {}, end: () => {} }

/** A line that is written anew on a terminal; in a log, where it cannot be, seldom a new one. */
const TERMINAL_EVERY_MS = 200
const LOG_EVERY_MS = 5_000

/** Shows the progress on `stream`; `now` counts milliseconds. */
export function progressOf(
  stream: NodeJS.WriteStream,
  isQuiet: boolean,
  now: () => number = () => performance.now(),
): ProgressLine {
  if (isQuiet) return SILENT
  const isTerminal = stream.isTTY === true
  const every = isTerminal ? TERMINAL_EVERY_MS : LOG_EVERY_MS
  let current = ''
  let began = 0
  let shown = 0
  return {
    show(name, rows, bytes, size) {
      const time = now()
      if (name !== current) {
        current = name
        began = time
        shown = time
      }
      if (time - shown < every) return
      shown = time
      const rate = Math.round((rows * 1000) / (time - began))
      const percent = size === null || size === 0 ? '' : `, ${Math.floor((bytes * 100) / size)}%`
      const line = `${name}: ${grouped(rows)} rows, ${grouped(rate)} rows/s${percent}`
      stream.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`)
    },
    end() {
      if (isTerminal && current !== '') stream.write('\r\u001b[K')
    },
  }
}

function grouped(value: number): string {
  return value.toLocaleString('en')
}
