import { COORDINATE_SCALE } from '../../base/domain/position/fix-record.ts'
import { MOTION_BITS, MOTIONS } from '../../base/domain/position/fold-state.ts'
import { EQUATORIAL_RADIUS_M, FLATTENING } from '../../engine/tracking/rules/geodesic.ts'
import { FLAG, NUMBER } from '../../engine/tracking/stored-position.ts'
import { AT, type Column, MODE, type Mode, WORD } from './block-columns.ts'

/*
 * Only + − × ÷ and √, which give the same bits on every machine: `Math.sin` of the next Node.js may differ, and a block
 * would then read as other numbers.
 */

const RADIANS = Math.PI / 180 / COORDINATE_SCALE
const SQUARE_ECCENTRICITY = FLATTENING * (2 - FLATTENING)
const RADIUS_MM = EQUATORIAL_RADIUS_M * 1_000

/**
 * Millimeters between two points of whole numbers of `1 / COORDINATE_SCALE` degrees, as on a plane that touches the
 * ellipsoid halfway between them. Some millionths off over a kilometre, and some percent over a thousand.
 */
export function travelledMm(
  latitude1: number,
  longitude1: number,
  latitude2: number,
  longitude2: number,
): number {
  const north = latitude2 - latitude1
  const east = longitude2 - longitude1
  if (north === 0 && east === 0) return 0
  const cosine = cosineOf(((latitude1 + latitude2) / 2) * RADIANS)
  const flatness = 1 - SQUARE_ECCENTRICITY * (1 - cosine * cosine)
  const across = RADIUS_MM / Math.sqrt(flatness)
  const along = (across * (1 - SQUARE_ECCENTRICITY)) / flatness
  const x = east * RADIANS * cosine * across
  const y = north * RADIANS * along
  return Math.round(Math.sqrt(x * x + y * y))
}

/** The first terms of the series around 0. For -π/2 to π/2, within 1e-9. */
function cosineOf(angle: number): number {
  const square = angle * angle
  let sum = 1
  for (let term = 12; term > 0; term -= 2) sum = 1 - (square / (term * (term - 1))) * sum
  return sum
}

/** Rows between two restarts: from each of them on a column can be read. */
export const RESTART_ROWS = 64

/** The columns that were read before. All begin at the same row. */
export type Known = {
  readonly flags: readonly Int32Array[]
  readonly numbers: readonly (Float64Array | null)[]
}

export type Predicted = Omit<Column, 'id'>

/**
 * Predicts the number of `row` from those before it since the last restart, which was at `start`. Without restarts
 * `start` is 0, and each row is asked for.
 */
type Predict = (values: Float64Array, row: number, start: number) => number

/** `base`: of a mode without restarts. `slopeAt`: the slope of a linear column at a restart. */
export function predictorOf(
  column: Predicted,
  mode: Mode,
  known: Known,
  base: number,
  slopeAt: (start: number) => number,
): Predict {
  const reference = referenceOf(column, known)
  switch (mode) {
    case MODE.previous:
      return (values, row) => values[row - 1]!
    case MODE.linear:
      return (values, row, start) => {
        const last = values[row - 1]!
        return last + (row - 1 === start ? slopeAt(start) : last - values[row - 2]!)
      }
    case MODE.offset:
      return (_values, row) => reference[row]! + base
    case MODE.follows:
      return (values, row) => values[row - 1]! + reference[row]! - reference[row - 1]!
    case MODE.pointer: {
      const flags = known.flags[column.word]!
      const { bit } = column
      return (values, row) => ((flags[row]! & bit) === 0 ? reference[row]! : values[row - 1]!)
    }
    case MODE.travelled:
      return travelled(known)
    case MODE.running:
      return running(known)
  }
}

/** Whether the numbers of a mode restart. The others have one base for all rows. */
export function restarts(mode: Mode): boolean {
  return mode !== MODE.offset
}

/** The numbers from which those of the restarts, or those of all rows, are measured. */
export function originOf(column: Predicted, mode: Mode, known: Known): Float64Array {
  const usesReference = mode === MODE.pointer || mode === MODE.follows || mode === MODE.offset
  return usesReference ? referenceOf(column, known) : zeros(known)
}

/** If no row has a number of the reference, it is 0. */
function referenceOf({ reference }: Predicted, known: Known): Float64Array {
  return known.numbers[reference] ?? zeros(known)
}

let nothing = new Float64Array(0)

function zeros({ flags }: Known): Float64Array {
  const rows = flags[0]!.length
  if (nothing.length < rows) nothing = new Float64Array(rows)
  return nothing
}

/** As the fold counts distance (`engine/tracking/rules/advance.ts`), but for rare cases. */
function travelled({ flags, numbers }: Known): Predict {
  const fold = flags[WORD.fold]!
  const [latitude, longitude] = [numbers[AT.latitude]!, numbers[AT.longitude]!]
  let anchor = 0
  return (values, row, start) => {
    if (row - 1 === start) anchor = start
    const last = values[row - 1]!
    if ((fold[row]! & NUMBER.anchorAt) !== 0) return last
    const from = anchor
    anchor = row
    const isLeg = (fold[row]! & MOTION_BITS) === MOVING || (fold[row - 1]! & FLAG.moved) !== 0
    if (!isLeg) return last
    return last + travelledMm(latitude[from]!, longitude[from]!, latitude[row]!, longitude[row]!)
  }
}

const MOVING = MOTIONS.indexOf('moving')
/** The gap up to which the fold counts engine hours. */
const MAX_GAP_MS = 10 * 60_000

/** As the fold counts engine hours (`engine/tracking/rules/counters.ts`). */
function running({ flags, numbers }: Known): Predict {
  const fold = flags[WORD.fold]!
  const time = numbers[AT.time]!
  return (values, row) => {
    const gap = time[row]! - time[row - 1]!
    const isRunning = (fold[row - 1]! & FLAG.running) !== 0 && gap <= MAX_GAP_MS
    return values[row - 1]! + (isRunning ? gap : 0)
  }
}
