import { type StoredBlock, unpackRows } from '../../src/data/positions/stored-blocks.ts'
import type { PositionRow } from '../store-contract/fixture.ts'

/** The rows of the table of positions and those of blocks, in the order of time. */
export function withPacked(
  rows: readonly PositionRow[],
  blocks: readonly StoredBlock[],
): PositionRow[] {
  const packed = blocks.flatMap((block) =>
    unpackRows(block).map(({ time, hidden }) => {
      return { organization: block.organization, time, isShown: hidden === null }
    }),
  )
  return [...rows, ...packed].sort((a, b) => a.organization - b.organization || a.time - b.time)
}

/** Changes a byte in the middle of a block. */
export function changeByte(block: Buffer): void {
  block[block.length >> 1]! ^= 1
}
