import { FIX_RECORD } from '../../domain/fix-record.ts'
import type { ObjectState } from '../../domain/object-state.ts'
import { packState, unpackState } from '../../domain/state-record.ts'

const NO_FIX = Buffer.alloc(2)
const ENTRY = { sequence: 0, addressAt: 8, numbers: 16, lastFix: 224 } as const

/**
 * Encodes the state of one object with the number of the change that stored it (0 if it was read from the
 * store):
 *
 * | offset | bytes | |
 *
 * |---|---|---|
 *
 * | 0 | 8 | change, a 64-bit float, little-endian: the scripts compare it |
 *
 * | 8 | 8 | time since which the address is known, likewise; NaN if there is none |
 *
 * | 16 | 208 | the numbers, as in `domain/state-record.ts` |
 *
 * | 224 | … | the last fix, as in `domain/fix-record.ts`; two zero bytes if there is none |
 *
 * | | … | the address, UTF-8, to the end |
 */
export function packEntry(state: ObjectState, sequence: number): Buffer {
  const { lastFix, numbers, address, addressAt } = packState(state)
  const head = Buffer.alloc(ENTRY.numbers)
  head.writeDoubleLE(sequence, ENTRY.sequence)
  head.writeDoubleLE(addressAt ?? Number.NaN, ENTRY.addressAt)
  return Buffer.concat([head, numbers, lastFix ?? NO_FIX, Buffer.from(address ?? '')])
}

export function unpackEntry(entry: Buffer): ObjectState {
  const at = entry.readDoubleLE(ENTRY.addressAt)
  const fixLength = entry.readUInt16LE(ENTRY.lastFix + FIX_RECORD.length)
  const addressFrom = ENTRY.lastFix + Math.max(fixLength, NO_FIX.length)
  return unpackState({
    lastFix: fixLength === 0 ? null : entry.subarray(ENTRY.lastFix, addressFrom),
    numbers: entry.subarray(ENTRY.numbers, ENTRY.lastFix),
    address: entry.toString('utf8', addressFrom),
    addressAt: Number.isNaN(at) ? null : at,
  })
}
