import type { NumberReader, NumberWriter } from '../../base/domain/common/packed-numbers.ts'

/** Thrown for bytes that are not a block, or that have changed since the block was written. */
export class DamagedBlock extends Error {
  constructor() {
    super('a block of positions is damaged')
  }
}

/** Thrown for a whole block in a format that this version does not know. */
export class NewerBlock extends Error {
  constructor() {
    super('a block of positions has a format that this version does not know')
  }
}

/*
 * Whole numbers as planes of bytes: the lowest bytes of all numbers, then the next ones. Signed numbers are zigzag
 * first. There are as many planes as the largest number needs, and none if all are 0. Zstandard compresses planes
 * better than numbers of varying length, and reading planes needs no branch for each number.
 */

/** Planes of the largest zigzag number that is exact. */
const MAX_WIDTH = 7
/** Numbers of up to this many planes fit into the 32-bit integers of bit operations. */
const INTEGER_WIDTH = 4

/** How many planes signed numbers of this size need. Throws a RangeError if they cannot be exact. */
export function widthOf(largest: number): number {
  const most = largest * 2
  if (!(most <= Number.MAX_SAFE_INTEGER)) throw new RangeError('a number is too large for a block')
  let width = 0
  for (let rest = most; rest >= 1; rest /= 0x100) width += 1
  return width
}

/** Writes the numbers, each divided by `divisor`. */
export function planesOf(numbers: Float64Array, divisor: number, width: number): Uint8Array {
  const count = numbers.length
  const out = Buffer.allocUnsafe(count * width)
  if (width === 0) return out
  for (let i = 0; i < count; i += 1) {
    const number = numbers[i]! / divisor
    let rest = number < 0 ? -2 * number - 1 : 2 * number
    for (let at = i; at < out.length; at += count) {
      out[at] = rest
      rest = rest < 2 ** 32 ? rest >>> 8 : Math.floor(rest / 0x100)
    }
  }
  return out
}

/**
 * Reads as many numbers as `out` takes, from `from` on, of the next planes of `count` numbers, times `divisor`. The reader
 * passes all of them.
 */
export function readPlanes(
  input: NumberReader,
  count: number,
  divisor: number,
  width: number,
  out: Float64Array,
  from = 0,
): Float64Array {
  if (width > MAX_WIDTH) throw new DamagedBlock()
  const start = input.skip(count * width) + from
  const { bytes } = input
  if (width === 0) return out.fill(0)
  if (width > INTEGER_WIDTH) return readWidePlanes(bytes, start, count, divisor, width, out)
  if (width === 1) {
    for (let i = 0; i < out.length; i += 1) {
      const number = bytes[start + i]!
      out[i] = ((number >>> 1) ^ -(number & 1)) * divisor
    }
    return out
  }
  for (let i = 0; i < out.length; i += 1) {
    const at = start + i
    let number = bytes[at]! | (bytes[at + count]! << 8)
    if (width > 2) number |= bytes[at + 2 * count]! << 16
    if (width > 3) number |= bytes[at + 3 * count]! << 24
    out[i] = ((number >>> 1) ^ -(number & 1)) * divisor
  }
  return out
}

function readWidePlanes(
  bytes: Uint8Array,
  start: number,
  count: number,
  divisor: number,
  width: number,
  out: Float64Array,
): Float64Array {
  for (let i = 0; i < out.length; i += 1) {
    let number = 0
    for (let plane = width - 1; plane >= 0; plane -= 1) {
      number = number * 0x100 + bytes[start + plane * count + i]!
    }
    const half = Math.floor(number / 2)
    out[i] = (number === 2 * half ? half : -half - 1) * divisor
  }
  return out
}

/**
 * Texts in UTF-8, one after the other, and where each ends. One array for each text would take most of the time of
 * reading.
 */
export type Texts = { readonly bytes: Buffer; readonly ends: Int32Array }

function joinTexts(texts: readonly Uint8Array[]): Texts {
  let end = 0
  const ends = Int32Array.from(texts, ({ length }) => {
    end += length
    return end
  })
  return { bytes: Buffer.concat(texts), ends }
}

export const NO_TEXTS: Texts = joinTexts([])

/** Collects distinct texts in the order in which they come. */
export function dictionary() {
  const places = new Map<string, number>()
  const texts: Uint8Array[] = []
  function placeOf(text: Buffer): number {
    const key = text.toString('latin1')
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, texts.length)
    return texts.push(text) - 1
  }
  return { placeOf, joined: () => joinTexts(texts) }
}

export function startOf({ ends }: Texts, place: number): number {
  return place === 0 ? 0 : ends[place - 1]!
}

export function textAt(texts: Texts, place: number): string {
  return texts.bytes.toString('utf8', startOf(texts, place), texts.ends[place])
}

/** Writes their number, the length of each, and their bytes. */
export function writeTexts(out: NumberWriter, texts: Texts): void {
  const { bytes, ends } = texts
  out.unsigned(ends.length)
  for (let place = 0; place < ends.length; place += 1) {
    out.unsigned(ends[place]! - startOf(texts, place))
  }
  out.raw(bytes)
}

export function readTexts(input: NumberReader): Texts {
  const ends = new Int32Array(input.unsigned())
  let end = 0
  for (let place = 0; place < ends.length; place += 1) {
    end += input.unsigned()
    ends[place] = end
  }
  const bytes = input.take(end)
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), ends }
}
