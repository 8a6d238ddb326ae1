import { FIX_RECORD } from '../../domain/fix-record.ts'

/** Of a piece of joined records: some tens of kilobytes, which are encoded in half a millisecond. */
const PIECE_BYTES = 48 * 1024

/** Where the first `count` of joined records end. */
export function endOfRecords(joined: Buffer, count: number): number {
  let end = 0
  for (let left = count; left > 0; left -= 1) end += joined.readUInt16LE(end + FIX_RECORD.length)
  return end
}

/** Joined records in pieces of whole ones. */
export function* piecesOf(joined: Buffer): Generator<Buffer> {
  let from = 0
  for (let end = 0; end < joined.length; ) {
    end += joined.readUInt16LE(end + FIX_RECORD.length)
    if (end - from < PIECE_BYTES && end < joined.length) continue
    yield joined.subarray(from, end)
    from = end
  }
}
