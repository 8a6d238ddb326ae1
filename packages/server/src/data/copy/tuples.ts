import type { ColumnType } from '../tables/table.ts'
import type { CopiedTable } from './copy-port.ts'

/**
 * Rows in the binary format of PostgreSQL's COPY: for each row the number of fields (2 bytes), and for
 * each field its length (4 bytes, -1 for null) and its bytes, big-endian. See
 * https://www.postgresql.org/docs/15/sql-copy.html, File Formats.
 */
export type Value = number | string | Uint8Array | null

/** The bytes before the first tuple and after the last. */
export const HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex')
export const TRAILER = Buffer.from('ffff', 'hex')

const COUNT_BYTES = 2
const LENGTH_BYTES = 4
const NULL = -1
/** The size of a block: some thousand rows. */
export const BLOCK_BYTES = 256 * 1024

/** Gathers rows into blocks. Values are in the order of the table's columns. */
type TupleWriter = {
  add(values: readonly Value[]): void
  isFull(): boolean
  /** The rows added since the last call. */
  take(): Buffer
}

export function tupleWriter(table: CopiedTable): TupleWriter {
  const types = Object.values(table.columns)
  let out = Buffer.allocUnsafe(BLOCK_BYTES + BLOCK_BYTES / 4)
  let end = 0

  function makeRoom(bytes: number): void {
    if (end + bytes <= out.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * out.length, end + bytes))
    out.copy(larger, 0, 0, end)
    out = larger
  }

  function addBytes(value: Uint8Array): void {
    makeRoom(LENGTH_BYTES + value.length)
    end = out.writeInt32BE(value.length, end)
    out.set(value, end)
    end += value.length
  }

  function addNumber(value: number, type: ColumnType): void {
    makeRoom(LENGTH_BYTES + 8)
    end = out.writeInt32BE(WIDTH[type], end)
    if (type === 'bool') end = out.writeUInt8(value, end)
    else if (type === 'int4') end = out.writeInt32BE(value, end)
    else if (type === 'float8') end = out.writeDoubleBE(value, end)
    else {
      end = out.writeInt32BE(Math.floor(value / 2 ** 32), end)
      end = out.writeUInt32BE(value >>> 0, end)
    }
  }

  return {
    add(values) {
      makeRoom(COUNT_BYTES)
      end = out.writeInt16BE(types.length, end)
      for (let column = 0; column < types.length; column += 1) {
        const value = values[column]!
        if (typeof value === 'number') addNumber(value, types[column]!)
        else if (typeof value === 'string') addBytes(Buffer.from(value))
        else if (value !== null) addBytes(value)
        else {
          makeRoom(LENGTH_BYTES)
          end = out.writeInt32BE(NULL, end)
        }
      }
    },
    isFull: () => end >= BLOCK_BYTES,
    take() {
      const block = out.subarray(0, end)
      out = Buffer.allocUnsafe(BLOCK_BYTES + BLOCK_BYTES / 4)
      end = 0
      return block
    },
  }
}

const WIDTH: Record<ColumnType, number> = {
  bool: 1,
  int4: 4,
  int8: 8,
  float8: 8,
  text: 0,
  bytea: 0,
}

/** The rows of a block. Their bytes are views of the block. A boolean is 0 or 1. */
export function* rowsOf(table: CopiedTable, block: Buffer): Generator<Value[]> {
  const types = Object.values(table.columns)
  for (let at = 0; at < block.length; ) {
    at += COUNT_BYTES
    const row = new Array<Value>(types.length)
    for (let column = 0; column < types.length; column += 1) {
      const length = block.readInt32BE(at)
      at += LENGTH_BYTES
      row[column] = length === NULL ? null : valueAt(block, at, length, types[column]!)
      at += Math.max(0, length)
    }
    yield row
  }
}

function valueAt(block: Buffer, at: number, length: number, type: ColumnType): Value {
  switch (type) {
    case 'int8':
      return block.readInt32BE(at) * 2 ** 32 + block.readUInt32BE(at + 4)
    case 'int4':
      return block.readInt32BE(at)
    case 'float8':
      return block.readDoubleBE(at)
    case 'bool':
      return block[at]!
    case 'text':
      return block.toString('utf8', at, at + length)
    case 'bytea':
      return block.subarray(at, at + length)
  }
}

/** The number of tuples in a block. */
export function countTuples(block: Buffer): number {
  let count = 0
  for (let at = 0; at < block.length; at = endOfTuple(block, at)) count += 1
  return count
}

/** The end of the tuple that begins at `at`. */
export function endOfTuple(block: Buffer, at: number): number {
  let end = at + COUNT_BYTES
  for (let fields = block.readInt16BE(at); fields > 0; fields -= 1) {
    end += LENGTH_BYTES + Math.max(0, block.readInt32BE(end))
  }
  return end
}

/** The offsets of the first three values of a position's tuple, which are never null. */
const OBJECT = COUNT_BYTES + LENGTH_BYTES + 8 + LENGTH_BYTES
const TIME = OBJECT + 8 + LENGTH_BYTES

/** The object and the time of a tuple of `POSITIONS`. */
export function positionKeyAt(block: Buffer, at: number): { object: number; time: number } {
  return { object: int8At(block, at + OBJECT), time: int8At(block, at + TIME) }
}

function int8At(block: Buffer, at: number): number {
  return block.readInt32BE(at) * 2 ** 32 + block.readUInt32BE(at + 4)
}
