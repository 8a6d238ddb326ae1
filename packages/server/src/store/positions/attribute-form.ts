import { decimalOf } from '../../domain/attributes/attribute-section.ts'
import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'
import type { NumberReader, NumberWriter } from '../../domain/common/packed-numbers.ts'
import {
  type AttributeColumn,
  type AttributeColumns,
  NO_ATTRIBUTE_COLUMNS,
} from './attribute-columns.ts'
import { commonDivisor, type Stretch } from './column-form.ts'
import { DamagedBlock } from './damaged-block.ts'
import { planesOf, readPlanes, widthOf } from './planes.ts'
import { joinTexts, readTexts, startOf, writeTexts } from './texts.ts'

/*
 * The form of the attributes of a block, after its addresses: the number of columns, and each. Nothing, if no row has
 * attributes. `docs/blocks.md` has it byte by byte.
 */

/** The value of a row in a column. */
const KIND = { absent: 0, number: 1, double: 2, text: 3, false: 4, true: 5 } as const
const KINDS = 6
/** In the place of a kind: rows have several. */
const MIXED = KINDS

/** Numbers of a common scale are whole up to here. */
const MAX_WHOLE = 2 ** 51

export function writeAttributes(out: NumberWriter, columns: AttributeColumns): void {
  if (columns.length === 0) return
  out.unsigned(columns.length)
  for (const column of columns) writeColumn(out, column)
}

function writeColumn(out: NumberWriter, { index, values }: AttributeColumn): void {
  const { decimals, wholes, kinds } = scaledNumbers(values)
  const first = kinds[0]!
  const isUniform = kinds.every((kind) => kind === first)
  out.unsigned(index)
  out.unsigned(isUniform ? first : MIXED)
  if (!isUniform) out.raw(kinds)
  if (wholes.length > 0) writeNumbers(out, decimals, wholes)
  const doubles = values.filter((_, row) => kinds[row] === KIND.double) as number[]
  out.raw(new Uint8Array(Float64Array.from(doubles).buffer))
  if (kinds.includes(KIND.text)) writeTextColumn(out, values)
}

/** The kind of each row, and the numbers of those that have a decimal, at a common scale. */
function scaledNumbers(values: readonly (AttributeValue | undefined)[]) {
  const found = values.map((value) => (typeof value === 'number' ? decimalOf(value) : undefined))
  const decimals = found.reduce((most, each) => Math.max(most, each?.decimals ?? 0), 0)
  const wholes: number[] = []
  const kinds = Uint8Array.from(values, (value, row) => {
    if (typeof value !== 'number') return kindOf(value)
    const decimal = found[row]
    if (decimal === undefined) return KIND.double
    const whole = decimal.digits * 10 ** (decimals - decimal.decimals)
    if (Math.abs(whole) > MAX_WHOLE) return KIND.double
    wholes.push(whole)
    return KIND.number
  })
  return { decimals, wholes, kinds }
}

function kindOf(value: string | boolean | undefined): number {
  if (typeof value === 'boolean') return value ? KIND.true : KIND.false
  return value === undefined ? KIND.absent : KIND.text
}

/** Each as a difference from the one before, divided by what they have in common. */
function writeNumbers(out: NumberWriter, decimals: number, wholes: readonly number[]): void {
  const differences = new Float64Array(wholes.length)
  let [last, divisor, largest] = [wholes[0]!, 0, 0]
  for (const [place, whole] of wholes.entries()) {
    const difference = whole - last
    differences[place] = difference
    last = whole
    divisor = commonDivisor(divisor, Math.abs(difference))
    largest = Math.max(largest, Math.abs(difference))
  }
  const step = divisor === 0 ? 1 : divisor
  const width = widthOf(largest / step)
  out.unsigned(decimals)
  out.signed(wholes[0]!)
  out.unsigned(step)
  out.unsigned(width)
  out.raw(planesOf(differences, step, width))
}

function writeTextColumn(out: NumberWriter, values: AttributeColumn['values']): void {
  const places = new Map<string, number>()
  const column: number[] = []
  for (const value of values) {
    if (typeof value !== 'string') continue
    const place = places.get(value) ?? places.size
    places.set(value, place)
    column.push(place)
  }
  writeTexts(out, joinTexts(Array.from(places.keys(), (text) => Buffer.from(text))))
  out.raw(planesOf(Float64Array.from(column), 1, widthOf(places.size - 1)))
}

/** Reads the attributes of the rows of a stretch. */
export function readAttributes(input: NumberReader, stretch: Stretch): AttributeColumns {
  if (input.isAtEnd()) return NO_ATTRIBUTE_COLUMNS
  return Array.from({ length: input.unsigned() }, () => {
    const { index, values } = readColumn(input, stretch.rows)
    return { index, values: values.slice(stretch.from, stretch.to) }
  })
}

function readColumn(input: NumberReader, rows: number): AttributeColumn {
  const index = input.unsigned()
  const kind = input.unsigned()
  if (kind > MIXED) throw new DamagedBlock()
  const kinds = kind === MIXED ? input.take(rows) : new Uint8Array(rows).fill(kind)
  const count = (of: number) => kinds.reduce((sum, each) => sum + (each === of ? 1 : 0), 0)
  const numbers = readNumbers(input, count(KIND.number))
  const doubles = readDoubles(input, count(KIND.double))
  const texts = readTextColumn(input, count(KIND.text))
  const next = (from: Iterator<AttributeValue>) => from.next().value as AttributeValue
  const values = Array.from(kinds, (each): AttributeValue | undefined => {
    switch (each) {
      case KIND.absent:
        return undefined
      case KIND.number:
        return next(numbers)
      case KIND.double:
        return next(doubles)
      case KIND.text:
        return next(texts)
      case KIND.false:
      case KIND.true:
        return each === KIND.true
      default:
        throw new DamagedBlock()
    }
  })
  return { index, values }
}

function readNumbers(input: NumberReader, count: number): Iterator<number> {
  const numbers = new Float64Array(count)
  if (count === 0) return numbers.values()
  const scale = 10 ** input.unsigned()
  let whole = input.signed()
  const step = input.unsigned()
  const width = input.unsigned()
  readPlanes(input.take(count * width), count, step, width, numbers)
  for (let place = 0; place < count; place += 1) {
    whole += numbers[place]!
    numbers[place] = whole / scale
  }
  return numbers.values()
}

/** The bytes may begin anywhere, and doubles only at a multiple of eight. */
function readDoubles(input: NumberReader, count: number): Iterator<number> {
  return new Float64Array(new Uint8Array(input.take(count * 8)).buffer).values()
}

function readTextColumn(input: NumberReader, count: number): Iterator<string> {
  if (count === 0) return [].values()
  const texts = readTexts(input)
  const width = widthOf(texts.ends.length - 1)
  const places = readPlanes(input.take(count * width), count, 1, width, new Float64Array(count))
  const decoded = Array.from(texts.ends, (end, place) =>
    utf8.decode(texts.bytes.subarray(startOf(texts, place), end)),
  )
  return Array.from(places, (place) => decoded[place] ?? missing()).values()
}

function missing(): never {
  throw new DamagedBlock()
}

/** A combining mark at the beginning of a text belongs to the text. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
