import { FIX_RECORD } from '../../domain/fix-record.ts'

/**
 * Whether the times of a block's records increase from `after` to `end`. They do not if a disk put one
 * page of an object in place of another, or changed a length or a time. Costs 1 % of encoding the block.
 */
export function isInOrder(block: Uint8Array, after: number): boolean {
  let at = 0
  for (let previous = after; at < block.length; ) {
    const length = block[at]! | (block[at + 1]! << 8)
    const time = timeAt(block, at + FIX_RECORD.timeDevice)
    // A read beyond the end gives no number, so no comparison holds.
    if (length < FIX_RECORD.address || !(time > previous)) return false
    previous = time
    at += length
  }
  return at === block.length
}

function timeAt(block: Uint8Array, at: number): number {
  const low = block[at]! | (block[at + 1]! << 8) | (block[at + 2]! << 16) | (block[at + 3]! << 24)
  return (block[at + 4]! + block[at + 5]! * 256) * 2 ** 32 + (low >>> 0)
}
