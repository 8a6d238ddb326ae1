import fc from 'fast-check'
import { FIX_RECORD } from '../src/domain/position/fix-record.ts'

/** The optional fields of a record that a later version adds. The place of the address is one byte. */
export const anyAddition = fc.uint8Array({ maxLength: 0xff - FIX_RECORD.optional })

/** A record with optional fields, as a later version of the program writes them. */
export function withAddition(record: Buffer, added: Uint8Array): Buffer {
  const { optional, addressAt, length } = FIX_RECORD
  const longer = Buffer.concat([record.subarray(0, optional), added, record.subarray(optional)])
  longer[addressAt] = optional + added.length
  longer.writeUInt16LE(longer.length, length)
  return longer
}
