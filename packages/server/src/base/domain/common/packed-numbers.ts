const ended = () => new TypeError('the writer has ended')

/** Enough for the tail of an object. */
const MEMORY_BYTES = 1_024

/** The memory of the writer that ended last. A writer of its own few bytes would have to grow several times. */
let spare: Buffer | null = null
const ENDED = Buffer.alloc(0)

/**
 * Writes whole numbers as LEB128, signed ones zigzag first. Numbers beyond 32 bits are common, so arithmetic
 * replaces bit operations.
 */
export class NumberWriter {
  private buffer: Buffer
  private length = 0

  constructor() {
    this.buffer = spare ?? Buffer.allocUnsafeSlow(MEMORY_BYTES)
    spare = null
  }

  unsigned(value: number): void {
    this.reserve(8)
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.buffer[this.length++] = (rest % 0x80) + 0x80
    }
    this.buffer[this.length++] = rest
  }

  signed(value: number): void {
    this.unsigned(zigzag(value))
  }

  /** Null takes one byte. */
  optional(value: number | null): void {
    this.unsigned(value === null ? 0 : zigzag(value) + 1)
  }

  text(value: string | null): void {
    if (value === null) {
      this.unsigned(0)
      return
    }
    const bytes = Buffer.byteLength(value)
    this.unsigned(bytes + 1)
    this.reserve(bytes)
    this.length += this.buffer.write(value, this.length)
  }

  /** Bytes of any length. */
  blob(value: Uint8Array): void {
    this.unsigned(value.length)
    this.raw(value)
  }

  /** Bytes whose number the reader knows. */
  raw(value: Uint8Array): void {
    this.reserve(value.length)
    this.buffer.set(value, this.length)
    this.length += value.length
  }

  /** Ends the writer: another one gets its memory. */
  bytes(): Uint8Array {
    if (this.buffer === ENDED) throw ended()
    const bytes = Buffer.from(this.buffer.subarray(0, this.length))
    if (this.buffer.length === MEMORY_BYTES) spare = this.buffer
    this.buffer = ENDED
    return bytes
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return
    if (this.buffer === ENDED) throw ended()
    this.buffer = Buffer.concat([this.buffer], this.buffer.length * 2 + bytes)
  }
}

/** Reads what a `NumberWriter` wrote. Throws an error if the bytes end too early. */
export class NumberReader {
  readonly bytes: Uint8Array
  private at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  isAtEnd(): boolean {
    return this.at === this.bytes.length
  }

  unsigned(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.bytes[this.at++]
      if (byte === undefined) throw new Error('packed numbers are cut off')
      value += (byte % 0x80) * scale
      if (byte < 0x80) return value
    }
  }

  signed(): number {
    return unzigzag(this.unsigned())
  }

  optional(): number | null {
    const value = this.unsigned()
    return value === 0 ? null : unzigzag(value - 1)
  }

  blob(): Uint8Array {
    return this.take(this.unsigned())
  }

  /** The next bytes, as `raw` wrote them. */
  take(length: number): Uint8Array {
    const start = this.skip(length)
    return this.bytes.subarray(start, this.at)
  }

  /** Passes the next bytes, and returns where among `bytes` they begin. */
  skip(length: number): number {
    const start = this.at
    if (start + length > this.bytes.length) throw new Error('packed numbers are cut off')
    this.at = start + length
    return start
  }

  text(): string | null {
    const length = this.unsigned()
    if (length === 0) return null
    const end = this.at + length - 1
    if (end > this.bytes.length) throw new Error('packed numbers are cut off')
    const text = utf8.decode(this.bytes.subarray(this.at, end))
    this.at = end
    return text
  }
}

/** A combining mark at the beginning of a text belongs to the text. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)
export const unzigzag = (value: number) => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)

/**
 * Copies bytes to their own memory, for keeping: small buffers share slabs of 64 KiB, and each that is kept
 * would keep its whole slab.
 */
export function ownBytes<Bytes extends Uint8Array>(bytes: Bytes): Bytes | Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}

/**
 * Writes a whole number of 6 bytes and returns the end. The buffer's own method checks much more before it
 * writes.
 */
export function writeUint48(out: Buffer, at: number, value: number): number {
  if (!(value >= 0 && value < 2 ** 48)) throw new RangeError(`${value} does not fit in 48 bits`)
  const high = Math.floor(value / 2 ** 32)
  out[at] = value
  out[at + 1] = value >>> 8
  out[at + 2] = value >>> 16
  out[at + 3] = value >>> 24
  out[at + 4] = high
  out[at + 5] = high >>> 8
  return at + 6
}

/** This one and the next two read little-endian whole numbers without the checks of a buffer's own methods. */
export function uint24At(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)
}

export function int32At(bytes: Uint8Array, at: number): number {
  return uint24At(bytes, at) | (bytes[at + 3]! << 24)
}

export function uint48At(bytes: Uint8Array, at: number): number {
  const low = int32At(bytes, at) >>> 0
  return low + (bytes[at + 4]! | (bytes[at + 5]! << 8)) * 2 ** 32
}

/** The same through a view, for callers that have one. */
export function viewedUint48(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32
}
