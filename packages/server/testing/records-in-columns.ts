import { writeEntry } from '../src/base/domain/position/attribute-section.ts'
import {
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_LIMIT,
  FIX_RECORD_VERSION,
  OPTIONAL_BIT,
} from '../src/base/domain/position/fix-record.ts'
import { FIX_NUMBERS, type PositionColumns } from '../src/base/domain/position/position-columns.ts'

/** The fix records of some rows, one after the other. */
export function recordsIn(columns: PositionColumns, first = 0, count = columns.rows): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, row) => recordIn(columns, first + row)))
}

/** All fix records of the columns of a history, which hold until the next ones are asked for. */
export async function recordsOfBlocks(blocks: AsyncIterable<PositionColumns>): Promise<Buffer> {
  const records: Buffer[] = []
  for await (const columns of blocks) records.push(recordsIn(columns))
  return Buffer.concat(records)
}

function recordIn({ flags, numbers, addresses, readAttributes }: PositionColumns, row: number) {
  const known = flags[row]!
  const out = Buffer.alloc(FIX_RECORD_LIMIT)
  out[FIX_RECORD.version] = FIX_RECORD_VERSION
  out.writeUInt16LE(known & 0xffff, FIX_RECORD.flags)
  let end: number = FIX_RECORD.optional
  if (known >>> OPTIONAL_BIT !== 0) out[end++] = known >>> OPTIONAL_BIT
  for (const [place, { at, bytes, isSigned, flag }] of FIX_NUMBERS.entries()) {
    if ((known & flag) !== flag) continue
    const number = numbers[place]![row]!
    if (isSigned) out.writeIntLE(number, at, bytes)
    else out.writeUIntLE(number, at, bytes)
    end = Math.max(end, at + bytes)
  }
  out[FIX_RECORD.addressAt] = end
  if ((known & FIX_FLAG.address) !== 0) {
    end += addresses.bytes.copy(out, end, addresses.startOf(row), addresses.endOf(row))
  }
  if ((known & FIX_FLAG.attributes) !== 0) {
    const start = end
    readAttributes(row, (index, value) => {
      end = writeEntry(out, end, index, value)
    })
    end = out.writeUInt16LE(end - start, end)
  }
  out.writeUInt16LE(end, FIX_RECORD.length)
  return out.subarray(0, end)
}
