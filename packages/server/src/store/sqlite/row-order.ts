import { FIX_RECORD } from '../../domain/fix-record.ts'

/**
 * Whether the records of a block follow each other in time, the first after `after`, and end with it:
 * they do not where a disk has put a page of an object in the place of another of the same object, or has
 * changed a length or a time. Costs a hundredth of what encoding them does.
 */
export function isInOrder(block: Uint8Array, after: number): boolean {
  let at = 0
  for (let previous = after; at < block.length; ) {
    const length = block[at]! | (block[at + 1]! << 8)
    const time = timeAt(block, at + FIX_RECORD.timeDevice)
    // What is read beyond the end is no number, and in no order.
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
