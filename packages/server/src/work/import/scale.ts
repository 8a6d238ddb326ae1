import { SENT } from '../../base/domain/position/field-lists.ts'
import { HOUR_MS } from '../../base/domain/time/time.ts'
import { ImportMisuse } from './row.ts'

/*
 * Numbers in another unit than the one in which they are read: metres for kilometres, milliseconds for hours.
 */

/** The numbers of a position, in the order of `SENT` and in the units of `Fix`. Null: unknown. */
export type Measured = {
  line: number
  ident: string
  time: number
  numbers: readonly (number | null)[]
}

/** `rise`: the most that half of the rises in an hour have. */
type Likely = { most: number; rise: number; unit: string; answer: string }

/** The most that half of the values of a file have, whatever the vehicle. */
const LIKELY: Readonly<Record<string, Likely>> = {
  odometer: {
    ...{ most: 5_000_000, rise: 1_000, unit: 'km' },
    answer: '--distance-unit m reads metres; --distance-unit km or mi stores it as it is',
  },
  engine_hours: {
    ...{ most: 1_000_000, rise: 24, unit: 'h' },
    answer: "Name its unit in its heading, such as 'Engine hours (s)'",
  },
}

/** A value so many times those before and after it is in another unit than they are, or lacks its decimal mark. */
const JUMP = 500

/**
 * Throws `ImportMisuse` if the first rows show that a number is in another unit than the one in which it is read.
 * `isAnswered`: the caller has said in which unit a field is.
 */
export function askForUnits(
  source: string,
  rows: readonly Measured[],
  isAnswered: (field: string) => boolean,
): void {
  for (const [at, { name }] of SENT.entries()) {
    const likely = LIKELY[name]
    if (likely === undefined || isAnswered(name)) continue
    const found = oddIn(seriesOf(rows, at), likely)
    if (found !== null) {
      throw new ImportMisuse(`'${source}': ${name} ${found}. ${likely.answer}`)
    }
  }
}

type Point = { line: number; time: number; value: number }

/** The known values of each object, in the order of the file. */
function seriesOf(rows: readonly Measured[], at: number): Point[][] {
  const series = new Map<string, Point[]>()
  for (const { line, ident, time, numbers } of rows) {
    const value = numbers[at]
    if (typeof value !== 'number' || !(value > 0)) continue
    const known = series.get(ident)
    const point = { line, time, value }
    if (known === undefined) series.set(ident, [point])
    else known.push(point)
  }
  return [...series.values()]
}

/** The oddity of a field, as the end of a sentence. Null: there is none. */
function oddIn(series: readonly Point[][], { most, rise, unit }: Likely): string | null {
  const shown = (value: number) => `${Math.round(value).toLocaleString('en')} ${unit}`
  const middle = middleOf(series.flat())
  if (middle !== undefined && middle.value > most) {
    return `is ${shown(middle.value)} in line ${middle.line}`
  }
  const rises = series.flatMap(risesOf)
  const usual = rises.length > 1 ? middleOf(rises) : undefined
  if (usual !== undefined && usual.value > rise) {
    return `rises by ${shown(usual.value)} an hour in line ${usual.line}`
  }
  const jump = series.flatMap(jumpsOf)[0]
  if (jump === undefined) return null
  return `is ${shown(jump.value)} in line ${jump.line}, and far less in the lines before and after it`
}

function risesOf(points: readonly Point[]): Point[] {
  return points.flatMap((point, at) => {
    const before = points[at - 1]
    if (before === undefined) return []
    const value = ((point.value - before.value) / (point.time - before.time)) * HOUR_MS
    return Number.isFinite(value) && value > 0 ? [{ ...point, value }] : []
  })
}

function jumpsOf(points: readonly Point[]): Point[] {
  return points.filter(({ value }, at) => {
    const [before, after] = [points[at - 1], points[at + 1]]
    return before && after && value > JUMP * before.value && value > JUMP * after.value
  })
}

function middleOf(points: readonly Point[]): Point | undefined {
  return [...points].sort((a, b) => a.value - b.value)[Math.floor((points.length - 1) / 2)]
}
