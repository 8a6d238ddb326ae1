/** `pg_type.oid`. */
const INT8 = 20
const BYTEA = 17
/** Dimensions, null flag, element type, number of elements, index of the first one. */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const INT8_BYTES = 8
const NULL_LENGTH = -1

/**
 * An `int8[]` in the server's binary format (`array_recv` in PostgreSQL), for safe integers. The text
 * form takes several times as long to write and to read.
 */
export function int8Array(values: readonly (number | null)[]): Buffer {
  const out = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + INT8_BYTES))
  let end = writeHeader(out, INT8, values)
  for (const value of values) {
    end = out.writeInt32BE(value === null ? NULL_LENGTH : INT8_BYTES, end)
    if (value === null) continue
    end = out.writeInt32BE(Math.floor(value / 2 ** 32), end)
    end = out.writeUInt32BE(value >>> 0, end)
  }
  return out.subarray(0, end)
}

/** A `bytea[]` likewise. */
export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  let bytes = HEADER_BYTES
  for (const value of values) bytes += LENGTH_BYTES + (value?.length ?? 0)
  const out = Buffer.allocUnsafe(bytes)
  let end = writeHeader(out, BYTEA, values)
  for (const value of values) {
    end = out.writeInt32BE(value === null ? NULL_LENGTH : value.length, end)
    if (value === null) continue
    out.set(value, end)
    end += value.length
  }
  return out.subarray(0, end)
}

/** An array without elements has no dimension. */
function writeHeader(out: Buffer, type: number, values: readonly unknown[]): number {
  out.writeInt32BE(values.length === 0 ? 0 : 1, 0)
  out.writeInt32BE(values.includes(null) ? 1 : 0, 4)
  out.writeInt32BE(type, 8)
  if (values.length === 0) return 12
  out.writeInt32BE(values.length, 12)
  out.writeInt32BE(1, 16)
  return HEADER_BYTES
}
