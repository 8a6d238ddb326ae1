import type { PositionRow } from '../src/fold/stored-position.ts'

/** A block of rows of one object, as stores join them for `readTrackRows`. */
export function rowBlock(rows: readonly PositionRow[]): Buffer {
  return Buffer.concat(
    rows.flatMap(({ fix, track, hidden }) => [
      Buffer.of(Number(hidden === null), track?.length ?? 0),
      fix,
      track ?? Buffer.alloc(0),
    ]),
  )
}
