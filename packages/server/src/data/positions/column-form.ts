import type { NumberReader, NumberWriter } from '../../base/domain/common/packed-numbers.ts'
import { isKnownMode, MODE, type Mode } from './block-columns.ts'
import { DamagedBlock, planesOf, readPlanes, widthOf } from './column-bytes.ts'
import {
  type Known,
  originOf,
  type Predicted,
  predictorOf,
  RESTART_ROWS,
  restarts,
} from './predict.ts'

/*
 * The form of a column, in numbers of `base/domain/common/packed-numbers.ts`: its head (the mode, and how many planes there are), the
 * divisor of the differences, the base of a mode without restarts, the planes of the restarts, and those of the
 * differences. A difference is a number minus the predicted one.
 */

const MODES = 8
const WIDTHS = 8

/** The numbers of a column in one of its modes. */
type Coded = {
  mode: Mode
  base: number
  /** The numbers; in a row without one, the predicted one. */
  values: Float64Array
  differences: Float64Array
  /** Each minus the previous one. */
  restarting: Float64Array
  /** All differences are multiples of it: devices round. */
  divisor: number
  /** Roughly the bits of the differences. */
  cost: number
}

/** Writes a column in the shortest of its modes. Returns its numbers, with predicted ones where a row has none. */
export function writeColumn(
  out: NumberWriter,
  column: Predicted,
  given: Float64Array,
  known: Known,
): Float64Array {
  let coded: Coded | undefined
  for (const mode of column.modes) {
    const other = code(column, mode, given, known)
    if (coded === undefined || other.cost < coded.cost) coded = other
    if (coded.cost === 0) break
  }
  const { mode, base, values, differences, restarting, divisor } = coded!
  const width = widthOf(largestOf(differences) / divisor)
  const restartWidth = widthOf(largestOf(restarting))
  out.unsigned(mode + MODES * (width + WIDTHS * restartWidth))
  out.unsigned(divisor)
  if (!restarts(mode)) out.signed(base)
  out.raw(planesOf(restarting, 1, restartWidth))
  out.raw(planesOf(differences, divisor, width))
  return values
}

function code(column: Predicted, mode: Mode, given: Float64Array, known: Known): Coded {
  const flags = known.flags[column.word]!
  const { bit } = column
  const values = new Float64Array(given.length)
  const differences = new Float64Array(given.length)
  const base = restarts(mode) ? 0 : meanOffset(column, given, known)
  const restarting = restart(column, mode, given, known, values)
  const predict = predictorOf(
    column,
    mode,
    known,
    base,
    (start) => given[start + 1]! - given[start]!,
  )
  let [start, cost, count, divisor] = [0, 0, 0, 0]
  for (let row = 0; row < given.length; row += 1) {
    if (row % RESTART_ROWS === 0 && restarts(mode)) {
      start = row
      continue
    }
    const predicted = predict(values, row, start)
    const value = (flags[row]! & bit) === bit ? given[row]! : predicted
    values[row] = value
    const difference = value - predicted
    if (difference === 0) continue
    differences[row] = difference
    if (divisor !== 1) divisor = commonDivisor(Math.abs(difference), divisor)
    cost += 1 + bitsOf(difference)
    count += 1
  }
  cost -= count * bitsOf(divisor)
  return { mode, base, values, differences, restarting, divisor: divisor || 1, cost }
}

/** Puts the numbers of the restarts into `values`, and returns what a block has of them. */
function restart(
  column: Predicted,
  mode: Mode,
  given: Float64Array,
  known: Known,
  values: Float64Array,
): Float64Array {
  if (!restarts(mode)) return new Float64Array(0)
  const flags = known.flags[column.word]!
  const origin = originOf(column, mode, known)
  const perRestart = numbersPerRestart(mode)
  const restarting: number[] = []
  let [offset, slope] = [0, 0]
  for (let row = 0; row < given.length; row += RESTART_ROWS) {
    const isGiven = (flags[row]! & column.bit) === column.bit
    const next = isGiven ? given[row]! - origin[row]! : mode === MODE.pointer ? 0 : offset
    values[row] = next + origin[row]!
    restarting.push(next - offset)
    offset = next
    if (perRestart === 1) continue
    const nextSlope = row + 1 < given.length ? given[row + 1]! - given[row]! : slope
    restarting.push(nextSlope - slope)
    slope = nextSlope
  }
  return Float64Array.from(restarting)
}

/** A linear column begins with a number and a slope. All rows have the numbers of linear columns. */
function numbersPerRestart(mode: Mode): number {
  return mode === MODE.linear ? 2 : 1
}

/** How far the numbers are from the reference on average. */
function meanOffset(column: Predicted, given: Float64Array, known: Known): number {
  const flags = known.flags[column.word]!
  const { bit } = column
  const reference = originOf(column, MODE.offset, known)
  let [sum, count] = [0, 0]
  for (let row = 0; row < given.length; row += 1) {
    if ((flags[row]! & bit) !== bit) continue
    sum += given[row]! - reference[row]!
    count += 1
  }
  return Math.round(sum / Math.max(count, 1))
}

function bitsOf(number: number): number {
  const size = Math.abs(number)
  return size < 2 ** 32 ? 32 - Math.clz32(size) : 64 - Math.clz32(size / 2 ** 32)
}

/** `b` may be 0: none yet. */
export function commonDivisor(a: number, b: number): number {
  let [large, small] = [a, b]
  while (small !== 0) [large, small] = [small, large % small]
  return large
}

/** The size of the largest of them. */
function largestOf(numbers: Float64Array): number {
  let largest = 0
  for (let i = 0; i < numbers.length; i += 1) {
    const size = Math.abs(numbers[i]!)
    if (size > largest) largest = size
  }
  return largest
}

/** The rows of a block, and those that are read of it. `from` is a restart. */
export type RowSpan = { readonly rows: number; readonly from: number; readonly to: number }

/** Reads the numbers of a span into `values`. `known` begins at the same row. Null: skips a column. */
export function readColumn(
  input: NumberReader,
  column: Predicted | null,
  known: Known,
  { rows, from }: RowSpan,
  values: Float64Array,
): void {
  const head = input.unsigned()
  const mode = head % MODES
  if (!isKnownMode(mode)) throw new DamagedBlock()
  const width = Math.floor(head / MODES) % WIDTHS
  const restartWidth = Math.floor(head / MODES / WIDTHS)
  const divisor = input.unsigned()
  const base = restarts(mode) ? 0 : input.signed()
  const perRestart = numbersPerRestart(mode)
  const count = restarts(mode) ? Math.ceil(rows / RESTART_ROWS) * perRestart : 0
  if (column === null) {
    input.skip(count * restartWidth + rows * width)
    return
  }
  const restarting = readPlanes(input, count, 1, restartWidth, new Float64Array(count))
  for (let i = perRestart; i < count; i += 1) restarting[i]! += restarting[i - perRestart]!
  const placeOf = (row: number) => ((from + row) / RESTART_ROWS) * perRestart
  const slopeAt = (start: number) => restarting[placeOf(start) + 1]!
  readPlanes(input, rows, divisor, width, values, from)
  const predict = predictorOf(column, mode, known, base, slopeAt)
  const origin = originOf(column, mode, known)
  for (let start = 0; start < values.length; start += RESTART_ROWS) {
    const end = Math.min(start + RESTART_ROWS, values.length)
    let row = start
    if (count > 0) values[row++] = origin[start]! + restarting[placeOf(start)]!
    if (mode === MODE.previous) addPrevious(values, row, end)
    else for (; row < end; row += 1) values[row]! += predict(values, row, start)
  }
}

/** Most columns: as fast as a loop without a call. */
function addPrevious(values: Float64Array, from: number, to: number): void {
  let sum = values[from - 1]!
  for (let row = from; row < to; row += 1) {
    sum += values[row]!
    values[row] = sum
  }
}
