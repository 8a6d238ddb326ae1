import { type Statement, statement } from './connection-pool.ts'

/** Parts of a statement that inserts rows of the organization $1, given as arrays such as `unnest($2::int8[])`. */
export type Given = {
  /** Selects the organization and the columns of the arrays. */
  rows(arrays: string): string
  /** The organization, and the FROM and WHERE, of a statement that computes something of the rows. */
  organization: string
  from(arrays: string): string
}

const PLAIN: Given = {
  rows: (arrays) => `SELECT $1, * FROM ${arrays}`,
  organization: '$1::bigint',
  from: (arrays) => `FROM ${arrays}`,
}

/**
 * The row in `sequences` shows Citus that all of it belongs to one worker, which then gets one statement. Otherwise the
 * coordinator computes the rows, copies them to the worker, and then inserts them.
 */
const DISTRIBUTED: Given = {
  rows: (arrays) =>
    `SELECT sequences.organization, given.* ${DISTRIBUTED.from(`${arrays} AS given`)}`,
  organization: 'sequences.organization',
  from: (arrays) => `FROM sequences, ${arrays} WHERE sequences.organization = $1`,
}

/** For a statement in the form of a database that is distributed, or is not. */
export function givenRows(isDistributed: boolean): Given {
  return isDistributed ? DISTRIBUTED : PLAIN
}

/** A statement in the form for one server and in that for Citus. */
export function givenStatement(text: (given: Given) => string): Statement {
  return Object.assign(statement(text(PLAIN)), { distributed: statement(text(DISTRIBUTED)) })
}

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

/** A `bytea[]` in the same form. */
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
