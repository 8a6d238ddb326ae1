import { FIX_RECORD, packFix, unpackFix } from '../../domain/fix-record.ts'
import type { ObjectState } from '../../domain/object-state.ts'
import { packNumbers, unpackNumbers } from '../../domain/state-record.ts'

const NO_COUNTERS = { odometer: null, mileage: null, engineHours: null }
const ENTRY = { sequence: 0, addressAt: 8, numbers: 16, lastFix: 224 } as const

/**
 * A state, and the change that stored it (0 where it was read from the store), as what is kept of one
 * object:
 *
 * | offset | bytes | |
 * |---|---|---|
 * | 0   | 8   | the change, a 64-bit float, little-endian: what the scripts compare |
 * | 8   | 8   | since when the address is known, likewise; NaN where none is |
 * | 16  | 208 | the numbers, as in `domain/state-record.ts` |
 * | 224 | …   | the last fix, as in `domain/fix-record.ts`; two zero bytes where there is none |
 * |     | …   | the address, UTF-8, to the end |
 */
export function packEntry(state: ObjectState, sequence: number): Buffer {
  const { lastFix, address } = state
  const fix = lastFix === null ? Buffer.alloc(2) : packFix(lastFix, state.track ?? NO_COUNTERS)
  const head = Buffer.alloc(ENTRY.numbers)
  head.writeDoubleLE(sequence, ENTRY.sequence)
  head.writeDoubleLE(address?.at ?? Number.NaN, ENTRY.addressAt)
  return Buffer.concat([head, packNumbers(state), fix, Buffer.from(address?.value ?? '')])
}

export function unpackEntry(entry: Buffer): ObjectState {
  const at = entry.readDoubleLE(ENTRY.addressAt)
  const fixLength = entry.readUInt16LE(ENTRY.lastFix + FIX_RECORD.length)
  const value = entry.toString('utf8', ENTRY.lastFix + Math.max(fixLength, 2))
  return {
    lastFix: fixLength === 0 ? null : unpackFix(entry, ENTRY.lastFix),
    address: Number.isNaN(at) ? null : { value, at },
    ...unpackNumbers(entry.subarray(ENTRY.numbers, ENTRY.lastFix)),
  }
}
