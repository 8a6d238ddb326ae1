import type { Readable } from 'node:stream'

const NEWLINE = 0x0a

/** Passes on what several processes write, line by line, so that no line is broken by another. */
export type LineRelay = {
  add(source: Readable): void
  /** Writes what came so far, and the rest as it comes. */
  open(): void
}

/** The last line of a process that was killed in the middle of it is left out. */
export function openLineRelay(out: (lines: Buffer) => void): LineRelay {
  let held: Buffer[] | null = []

  function write(lines: Buffer): void {
    if (held === null) out(lines)
    else held.push(lines)
  }

  return {
    add(source) {
      let rest: Buffer = Buffer.alloc(0)
      source.on('data', (bytes: Buffer) => {
        const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
        const end = all.lastIndexOf(NEWLINE) + 1
        rest = all.subarray(end)
        if (end > 0) write(all.subarray(0, end))
      })
    },
    open() {
      const lines = held ?? []
      held = null
      for (const each of lines) out(each)
    },
  }
}
