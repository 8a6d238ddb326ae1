import { SENT } from '../../base/domain/position/field-lists.ts'
import { HOUR_MS } from '../../base/domain/time/time.ts'
import { type Factors, numberAt, type Position } from './position-row.ts'
import { ImportMisuse, type Row } from './row.ts'

/*
 * Counters in another unit than the one in which they are read: meters for kilometers, milliseconds for hours.
 */

/** The rows that are checked. All of them are read before the first one is written. */
const CHECKED_ROWS = 1_000

/** A value so many times those before and after it is in another unit than they are, or has lost its decimal mark. */
const JUMP = 500

/** `most`, and `rise` in an hour: the most that half of the values of a file have, whatever the vehicle. */
const LIKELY: Readonly<Record<string, { most: number; rise: number; advice: string }>> = {
  odometer: {
    ...{ most: 5_000_000, rise: 1_000 },
    advice: '--distance-unit m reads meters; --distance-unit km or mi stores it as it is',
  },
  engine_hours: {
    ...{ most: 1_000_000, rise: 24 },
    advice: "Name its unit in its heading, such as 'Engine hours (s)'",
  },
}

const CHECKED = SENT.flatMap(({ name, unit }, at) =>
  LIKELY[name] === undefined ? [] : [{ name, unit, at, ...LIKELY[name] }],
)

type Point = { line: number; time: number; value: number }

/** Checks the counters of the first rows. `isAnswered`: whether the caller has said the unit of a field. */
export function unitCheck(source: string, isAnswered: (field: string) => boolean) {
  let rows = 0
  /** By counter, and by object in the order of the file. */
  const series = CHECKED.map(() => new Map<string, Point[]>())

  /** Throws `ImportMisuse` if a counter cannot be in its unit. */
  function ask(): void {
    for (const [index, checked] of CHECKED.entries()) {
      const found = isAnswered(checked.name) ? null : oddIn([...series[index]!.values()], checked)
      if (found === null) continue
      throw new ImportMisuse(`'${source}': ${checked.name} ${found}. ${checked.advice}`)
    }
    rows = CHECKED_ROWS
  }

  return {
    add({ ident, fix }: Position, { line, cells }: Row, factors: Factors): void {
      if (rows === CHECKED_ROWS) return
      for (const [index, { at }] of CHECKED.entries()) {
        const value = numberAt(cells, at, factors) ?? 0
        if (!(value > 0)) continue
        const known = series[index]!.get(ident) ?? []
        known.push({ line, time: fix.timeDevice, value })
        series[index]!.set(ident, known)
      }
      rows += 1
      if (rows === CHECKED_ROWS) ask()
    },
    /** The file has no more rows. */
    finish(): void {
      if (rows < CHECKED_ROWS) ask()
    },
  }
}

/** The oddity of a counter, as the end of a sentence. Null: there is none. */
function oddIn(
  series: readonly Point[][],
  { most, rise, unit }: (typeof CHECKED)[number],
): string | null {
  const shown = ({ value }: Point) => `${Math.round(value).toLocaleString('en')} ${unit}`
  const middle = middleOf(series.flat())
  if (middle !== undefined && middle.value > most)
    return `is ${shown(middle)} in line ${middle.line}`
  const rises = series.flatMap(risesOf)
  const usual = rises.length > 1 ? middleOf(rises) : undefined
  if (usual !== undefined && usual.value > rise) {
    return `rises by ${shown(usual)} an hour in line ${usual.line}`
  }
  const jump = series.flatMap(jumpsOf)[0]
  if (jump === undefined) return null
  return `is ${shown(jump)} in line ${jump.line}, but far less in the lines before and after it`
}

function risesOf(points: readonly Point[]): Point[] {
  const rises = points.slice(1).map((point, at) => {
    const before = points[at]!
    return {
      ...point,
      value: ((point.value - before.value) * HOUR_MS) / (point.time - before.time),
    }
  })
  return rises.filter(({ value }) => Number.isFinite(value) && value > 0)
}

function jumpsOf(points: readonly Point[]): Point[] {
  const isFarAbove = ({ value }: Point, other?: Point) => other && value > JUMP * other.value
  return points.filter(
    (each, at) => isFarAbove(each, points[at - 1]) && isFarAbove(each, points[at + 1]),
  )
}

function middleOf(points: readonly Point[]): Point | undefined {
  return [...points].sort((a, b) => a.value - b.value)[Math.floor((points.length - 1) / 2)]
}
