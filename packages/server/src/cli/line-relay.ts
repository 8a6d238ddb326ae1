import type { Readable } from 'node:stream'

const NEWLINE = 0x0a

/**
 * Passes on whole lines of what a process writes, so that none is broken by those of another. The last
 * line of one that was killed in the middle of it is left out.
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
