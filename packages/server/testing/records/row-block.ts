import type { PositionRow } from '../../src/engine/tracking/stored-position.ts'

/** A block of rows of one object, as a store joins them. */
export function rowBlock(rows: readonly Pick<PositionRow, 'fix' | 'track' | 'hidden'>[]): Buffer {
  const parts: Uint8Array[] = []
  for (const { fix, track, hidden } of rows) {
    parts.push(Buffer.of(Number(hidden === null), track.length), fix, track)
  }
  return Buffer.concat(parts)
}
