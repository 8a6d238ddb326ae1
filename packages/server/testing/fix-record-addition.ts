import fc from 'fast-check'
import { MEASURES } from '../src/base/domain/position/field-lists.ts'
import {
  FIX_FLAG,
  FIX_RECORD,
  OPTIONAL_BIT,
  OPTIONAL_END,
} from '../src/base/domain/position/fix-record.ts'

/** The end of the optional fields of this version, and the bits of the mask that no field has. */
const END = OPTIONAL_END
const TAKEN = MEASURES.reduce((all, { flag }) => all | flag, FIX_FLAG.attributes as number)
const FREE_BITS = 0xff & ~(TAKEN >>> OPTIONAL_BIT)

/** The optional fields of a record that a later version adds. The place of the address is one byte. */
export const anyAddition = fc.uint8Array({ maxLength: 0xff - END })

/** A record with optional fields, as a later version of the program writes them. */
export function withAddition(record: Buffer, added: Uint8Array): Buffer {
  const { optional, addressAt, length } = FIX_RECORD
  const address = record[addressAt]!
  const known = Buffer.alloc(END - optional)
  record.copy(known, 0, optional, address)
  known[0]! |= FREE_BITS
  const longer = Buffer.concat([
    record.subarray(0, optional),
    known,
    added,
    record.subarray(address),
  ])
  longer[addressAt] = END + added.length
  longer.writeUInt16LE(longer.length, length)
  return longer
}
