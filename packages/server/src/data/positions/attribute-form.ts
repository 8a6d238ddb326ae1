import type { NumberReader, NumberWriter } from '../../base/domain/common/packed-numbers.ts'
import {
  decimalOf,
  packedDecimal,
  unpackedDecimal,
} from '../../base/domain/position/attribute-section.ts'
import {
  type AttributeColumn,
  type AttributeColumns,
  NO_ATTRIBUTE_COLUMNS,
  VALUE,
} from './attribute-columns.ts'
import {
  DamagedBlock,
  NO_TEXTS,
  planesOf,
  readPlanes,
  readTexts,
  widthOf,
  writeTexts,
} from './column-bytes.ts'
import { commonDivisor, type RowSpan } from './column-form.ts'

/*
 * The form of the attributes of a block, after its addresses: the number of columns, and each. Nothing, if no row has
 * attributes. `docs/blocks.md` has it byte by byte.
 */

/** The kind of a row in a block is that of its value, but a boolean has two. */
const KINDS = VALUE.boolean + 2
/** In place of a kind: the rows have several kinds. */
const MIXED = KINDS

/** Numbers of a common scale are whole up to here. */
const MAX_WHOLE = 2 ** 51

export function writeAttributes(out: NumberWriter, columns: AttributeColumns): void {
  if (columns.length === 0) return
  out.unsigned(columns.length)
  for (const column of columns) writeColumn(out, column)
}

function writeColumn(out: NumberWriter, column: AttributeColumn): void {
  const { kinds, decimals, wholes, doubles, places } = partsOf(column)
  const first = kinds[0]!
  const isUniform = kinds.every((kind) => kind === first)
  out.unsigned(column.index)
  out.unsigned(isUniform ? first : MIXED)
  if (!isUniform) out.raw(kinds)
  if (wholes.length > 0) writeNumbers(out, decimals, wholes)
  out.raw(new Uint8Array(Float64Array.from(doubles).buffer))
  if (places.length === 0) return
  writeTexts(out, column.texts)
  out.raw(planesOf(Float64Array.from(places), 1, widthOf(column.texts.ends.length - 1)))
}

/** The kind of each row, and the numbers of each kind. Decimals have a common scale. */
function partsOf({ kinds: values, numbers }: AttributeColumn) {
  const decimalsAt = (row: number) => unpackedDecimal(numbers[row]!).decimals
  const decimals = values.reduce(
    (most, kind, row) => (kind === VALUE.decimal ? Math.max(most, decimalsAt(row)) : most),
    0,
  )
  const kinds = Uint8Array.from(values)
  const [wholes, doubles, places]: [number[], number[], number[]] = [[], [], []]
  for (let row = 0; row < kinds.length; row += 1) {
    const number = numbers[row]!
    switch (values[row]) {
      case VALUE.decimal: {
        const decimal = unpackedDecimal(number)
        const whole = decimal.digits * 10 ** (decimals - decimal.decimals)
        if (Math.abs(whole) <= MAX_WHOLE) wholes.push(whole)
        else {
          kinds[row] = VALUE.double
          doubles.push(decimal.digits / 10 ** decimal.decimals)
        }
        break
      }
      case VALUE.double:
        doubles.push(number)
        break
      case VALUE.text:
        places.push(number)
        break
      case VALUE.boolean:
        kinds[row] = VALUE.boolean + number
    }
  }
  return { kinds, decimals, wholes, doubles, places }
}

/** Each as a difference from the previous one, divided by what they have in common. */
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

/** Reads the attributes of the rows of a span. */
export function readAttributes(input: NumberReader, span: RowSpan): AttributeColumns {
  if (input.isAtEnd()) return NO_ATTRIBUTE_COLUMNS
  return Array.from({ length: input.unsigned() }, () => readColumn(input, span))
}

function readColumn(input: NumberReader, { rows, from, to }: RowSpan): AttributeColumn {
  const index = input.unsigned()
  const kind = input.unsigned()
  if (kind > MIXED) throw new DamagedBlock()
  const stored = kind === MIXED ? input.take(rows) : new Uint8Array(rows).fill(kind)
  const counts = countKinds(stored)
  const { decimals, wholes } = readNumbers(input, counts[VALUE.decimal]!)
  const doubles = readDoubles(input, counts[VALUE.double]!)
  const { texts, places } = readTextColumn(input, counts[VALUE.text]!)
  const kinds = new Uint8Array(to - from)
  const numbers = new Float64Array(to - from)
  const passed = countKinds(stored.subarray(0, from))
  for (let row = 0; row < numbers.length; row += 1) {
    const value = stored[from + row]!
    const place = passed[value]!++
    kinds[row] = Math.min(value, VALUE.boolean)
    if (value === VALUE.decimal) numbers[row] = packedWhole(wholes[place]!, decimals)
    else if (value === VALUE.double) [kinds[row], numbers[row]] = shortest(doubles[place]!)
    else if (value === VALUE.text) numbers[row] = places[place]!
    else if (value > VALUE.boolean) numbers[row] = 1
  }
  return { index, kinds, numbers, texts }
}

function countKinds(kinds: Uint8Array): Uint32Array {
  const counts = new Uint32Array(KINDS)
  for (let row = 0; row < kinds.length; row += 1) {
    if (kinds[row]! >= KINDS) throw new DamagedBlock()
    counts[kinds[row]!]! += 1
  }
  return counts
}

function readNumbers(input: NumberReader, count: number) {
  const wholes = new Float64Array(count)
  if (count === 0) return { decimals: 0, wholes }
  const decimals = input.unsigned()
  let whole = input.signed()
  const step = input.unsigned()
  const width = input.unsigned()
  readPlanes(input, count, step, width, wholes)
  for (let place = 0; place < count; place += 1) {
    whole += wholes[place]!
    wholes[place] = whole
  }
  return { decimals, wholes }
}

/** The number that an entry has for a decimal of the scale of a column. */
function packedWhole(whole: number, decimals: number): number {
  let [digits, fewest] = [whole, decimals]
  for (let next = digits / 10; fewest > 0 && Number.isInteger(next); next /= 10) {
    digits = next
    fewest -= 1
  }
  return packedDecimal({ digits, decimals: fewest })
}

/** The kind and the number of a value: one that is too large for the scale of its column may be a decimal. */
function shortest(value: number): [kind: number, number: number] {
  const decimal = decimalOf(value)
  return decimal === undefined ? [VALUE.double, value] : [VALUE.decimal, packedDecimal(decimal)]
}

/** The bytes may begin anywhere, and doubles only at a multiple of eight. */
function readDoubles(input: NumberReader, count: number): Float64Array {
  return new Float64Array(new Uint8Array(input.take(count * 8)).buffer)
}

function readTextColumn(input: NumberReader, count: number) {
  const places = new Float64Array(count)
  if (count === 0) return { texts: NO_TEXTS, places }
  const texts = readTexts(input)
  const width = widthOf(texts.ends.length - 1)
  readPlanes(input, count, 1, width, places)
  if (places.some((place) => place >= texts.ends.length)) throw new DamagedBlock()
  return { texts, places }
}
