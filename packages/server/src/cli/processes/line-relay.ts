import type { Readable } from 'node:stream'

const NEWLINE = 0x0a

/**
 * Relays whole lines of a process's output, so that lines of several processes do not mix. An unfinished
 * last line of a killed process is dropped.
 */
export function relayLines(source: Readable, out: (lines: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0)
  source.on('data', (bytes: Buffer) => {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const end = all.lastIndexOf(NEWLINE) + 1
    rest = all.subarray(end)
    if (end > 0) out(all.subarray(0, end))
  })
}
