import { FIX_RECORD } from './fix-record.ts'

/** The ends of the first `limit` of adjacent fix records, and their times. */
export function fixRecordsIn(
  records: Uint8Array,
  limit = Number.POSITIVE_INFINITY,
): { ends: number[]; times: number[] } {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
  const ends: number[] = []
  const times: number[] = []
  for (let at = 0; at < records.length && ends.length < limit; ) {
    const time = at + FIX_RECORD.timeDevice
    times.push(view.getUint32(time, true) + view.getUint16(time + 4, true) * 2 ** 32)
    at += view.getUint16(at + FIX_RECORD.length, true)
    ends.push(at)
  }
  return { ends, times }
}

/** The number of adjacent fix records. */
export function countFixRecords(records: Uint8Array): number {
  let count = 0
  for (let at = 0; at < records.length; count += 1) {
    const length = records[at + FIX_RECORD.length]! + records[at + FIX_RECORD.length + 1]! * 0x100
    // The encoder reports the damage.
    if (length < FIX_RECORD.optional) break
    at += length
  }
  return count
}
