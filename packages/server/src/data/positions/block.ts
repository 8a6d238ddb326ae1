import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { NumberReader, NumberWriter } from '../../base/domain/common/packed-numbers.ts'
import type { AttributeColumns } from './attribute-columns.ts'
import { readAttributes, writeAttributes } from './attribute-form.ts'
import { AT, type BlockColumns, COLUMNS } from './block-columns.ts'
import { DamagedBlock, NewerBlock, readTexts, writeTexts } from './column-bytes.ts'
import { type RowSpan, readColumn, writeColumn } from './column-form.ts'
import { readFlags, writeFlags } from './flag-column.ts'
import { RESTART_ROWS } from './predict.ts'

/*
 * The lasting form of neighboring positions of one object: a head, the body under Zstandard, and a checksum over all
 * before it. `docs/blocks.md` has it byte by byte.
 */

const VERSION = 1
const CHECKSUM_BYTES = 4
const ZSTANDARD_LEVEL = 3

/** The facts that a block begins with. */
export type BlockHead = {
  readonly organization: number
  readonly object: number
  readonly rows: number
  /** The times of the first row and of the last one: milliseconds since the epoch. */
  readonly first: number
  readonly last: number
}

export type BlockOwner = Pick<BlockHead, 'organization' | 'object'>

/** How the body of a block becomes smaller. */
export type Compress = (body: Uint8Array) => Uint8Array

/**
 * Packs rows of one object, at least one, in the order of their times. Throws a RangeError for a number that a block
 * cannot have exactly: beyond 2^52.
 */
export function encodeBlock(
  { organization, object }: BlockOwner,
  columns: BlockColumns,
  compress: Compress = zstandard,
): Uint8Array {
  const { rows, numbers } = columns
  const body = bodyOf(columns)
  const times = numbers[AT.time]!
  const out = new NumberWriter()
  out.unsigned(VERSION)
  for (const number of [organization, object, rows, times[0]!, times[rows - 1]! - times[0]!]) {
    out.unsigned(number)
  }
  out.unsigned(body.length)
  out.blob(compress(body))
  const packed = out.bytes()
  const block = Buffer.allocUnsafe(packed.length + CHECKSUM_BYTES)
  block.set(packed)
  block.writeUInt32LE(crc32(packed), packed.length)
  return block
}

function bodyOf({ flags, numbers, addresses, attributes, rows }: BlockColumns): Uint8Array {
  const body = new NumberWriter()
  writeFlags(body, flags, rows)
  body.unsigned(numbers.reduce((count, column) => count + (column === null ? 0 : 1), 0))
  const known = { flags, numbers: numbers.map((): Float64Array | null => null) }
  for (let place = 0; place < COLUMNS.length; place += 1) {
    const given = numbers[place] ?? null
    if (given === null) continue
    const column = COLUMNS[place]!
    body.unsigned(column.id)
    known.numbers[place] = writeColumn(body, column, given, known)
  }
  writeTexts(body, addresses)
  writeAttributes(body, attributes())
  return body.bytes()
}

/** With its size, Zstandard takes smaller tables for a small body. */
function zstandard(body: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTANDARD_LEVEL }
  return zstdCompressSync(body, { params, pledgedSrcSize: body.length })
}

/**
 * Reads the head of a block, and checks all of it. Throws `DamagedBlock` if one of its bytes is not as it was written,
 * and `NewerBlock` for a form that this version does not know.
 */
export function readHead(block: Uint8Array): BlockHead {
  return openBlock(block).head
}

function openBlock(block: Uint8Array) {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  const end = bytes.length - CHECKSUM_BYTES
  const checked = bytes.subarray(0, Math.max(end, 0))
  if (end <= 0 || crc32(checked) !== bytes.readUInt32LE(end)) throw new DamagedBlock()
  const input = new NumberReader(checked)
  if (input.unsigned() !== VERSION) {
    throw new NewerBlock()
  }
  const [organization, object, rows] = [input.unsigned(), input.unsigned(), input.unsigned()]
  const first = input.unsigned()
  const head: BlockHead = { organization, object, rows, first, last: first + input.unsigned() }
  return { head, length: input.unsigned(), packed: input.blob() }
}

/** Rows later than `after`, up to and including `to`. `limit`: if it is negative, the last ones of them alone. */
export type WantedTimes = { after: number; to: number; limit: number }

/** The rows that are read of a block, by place or by time. */
export type Wanted = {
  from?: number
  to?: number
  times?: WantedTimes
  /** The places of the columns that are read. Absent: of all. */
  columns?: ReadonlySet<number> | undefined
  /** Memory for the columns, which hold until it is used again. Otherwise they get memory of their own. */
  memory?: BlockMemory
}

/** Memory that many blocks share: new memory for each takes a third of the time of a decoding. */
export type BlockMemory = { numbers: Float64Array }

export function blockMemory(): BlockMemory {
  return { numbers: new Float64Array(0) }
}

/** `first`: the row of the block that is the first one in `columns`. */
export type DecodedBlock = { head: BlockHead; first: number; columns: BlockColumns }

/**
 * Reads the rows from `from` up to `to`, and those before them since the last restart. Throws as `readHead` does.
 */
export function decodeBlock(
  block: Uint8Array,
  {
    from = 0,
    to = Number.POSITIVE_INFINITY,
    times,
    columns = EVERY_COLUMN,
    memory = blockMemory(),
  }: Wanted = {},
): DecodedBlock {
  const { head, length, packed } = openBlock(block)
  const body = unpacked(packed, length)
  const isWhole =
    times === undefined || (times.after < head.first && times.to >= head.last && times.limit >= 0)
  const wanted = isWhole ? { from, to } : placesOf(body, head.rows, times)
  const first = wanted.from - (wanted.from % RESTART_ROWS)
  const span = {
    rows: head.rows,
    from: first,
    to: Math.max(first, Math.min(wanted.to, head.rows)),
  }
  return { head, first, columns: readBody(new NumberReader(body), span, columns, memory) }
}

/** The places of the rows with such times, found in the column of times alone, which is the first one. */
function placesOf(body: Uint8Array, rows: number, { after, to, limit }: WantedTimes) {
  const input = new NumberReader(body)
  const span = { rows, from: 0, to: rows }
  const known = { flags: readFlags(input, span), numbers: COLUMNS.map(() => null) }
  const times = new Float64Array(rows)
  input.unsigned()
  input.unsigned()
  readColumn(input, COLUMNS[AT.time]!, known, span, times)
  const end = firstAfter(times, to)
  const begin = firstAfter(times, after)
  return { from: limit < 0 ? Math.max(begin, end + limit) : begin, to: end }
}

/** The place of the first time that is later, in times that rise. */
export function firstAfter(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! <= time) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * One chunk for all of the body: by default Node.js joins chunks of 16 KiB. One byte more, because Node.js takes memory for a
 * second chunk once the first is full.
 */
function unpacked(packed: Uint8Array, length: number): Uint8Array {
  const chunkSize = Math.max(length + 1, constants.Z_MIN_CHUNK)
  return zstdDecompressSync(packed, { chunkSize, maxOutputLength: chunkSize })
}

function readBody(
  input: NumberReader,
  span: RowSpan,
  columns: ReadonlySet<number>,
  memory: BlockMemory,
): BlockColumns {
  const rows = span.to - span.from
  const flags = readFlags(input, span)
  const numbers = COLUMNS.map((): Float64Array | null => null)
  const count = input.unsigned()
  // One piece of memory for all that are wanted: one for each column takes longer than to read it.
  const most = Math.min(count, columns.size) * rows
  if (memory.numbers.length < most) memory.numbers = new Float64Array(most)
  let end = 0
  for (let i = 0; i < count; i += 1) {
    const place = PLACES[input.unsigned()]
    const isWanted = place !== undefined && columns.has(place)
    const values = memory.numbers.subarray(end, end + rows)
    readColumn(input, isWanted ? COLUMNS[place]! : null, { flags, numbers }, span, values)
    if (!isWanted) continue
    numbers[place] = values
    end += rows
  }
  const addresses = readTexts(input)
  let read: AttributeColumns | undefined
  const attributes = () => {
    read ??= readAttributes(input, span)
    return read
  }
  return { rows, flags, numbers, addresses, attributes }
}

const EVERY_COLUMN: ReadonlySet<number> = new Set(COLUMNS.keys())

/** The place of each column by its number. */
const PLACES: (number | undefined)[] = []
for (const [place, { id }] of COLUMNS.entries()) PLACES[id] = place
