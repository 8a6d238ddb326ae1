import { countText, openProgressLine, type ProgressLine } from './progress-line.ts'

/** Shows the progress of an import. */
export type ImportProgress = {
  /** Rows and bytes read of `name` so far. `size` in bytes, if known. */
  show(name: string, rows: number, bytes: number, size: number | null): void
  /** Clears the line for later output. */
  end(): void
}

const SILENT: ImportProgress = { show: () => {}, end: () => {} }

/** Shows the progress on `stream`. `now` returns milliseconds. */
export function progressOf(
  stream: NodeJS.WriteStream,
  isQuiet: boolean,
  now: () => number = () => performance.now(),
): ImportProgress {
  if (isQuiet) return SILENT
  let current = ''
  let began = 0
  let line: ProgressLine | undefined
  return {
    show(name, rows, bytes, size) {
      if (line === undefined || name !== current) {
        current = name
        began = now()
        line = openProgressLine(stream, now)
      }
      line.show(() => {
        const percent = size === null || size === 0 ? '' : `, ${Math.floor((bytes * 100) / size)}%`
        return `${name}: ${countText(rows, 'rows', now() - began)}${percent}`
      })
    },
    end() {
      line?.end()
    },
  }
}
