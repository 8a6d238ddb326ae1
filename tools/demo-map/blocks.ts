import { addAll, maxOf, minOf } from '../../packages/server/src/base/domain/common/any-number.ts'
import { distance, type Point } from '../demo/plane.ts'
import { STREETS, type Street, type StreetKind } from '../demo/streets.ts'
import { QUARTERS, type Quarter } from './quarters.ts'

/** A block of houses: its outline and, where it has one, its courtyard. */
export type Block = { outline: Point[]; courtyard: Point[] | undefined }

/** A straight street parallel to an axis: `at` on the other axis, from and to on its own. */
type GridLine = { at: number; from: number; to: number; halfWidth: number }
type Segment = { from: Point; to: Point; halfWidth: number }

/** Meters from the middle of a street to its houses. */
const HALF_WIDTH_M: Record<StreetKind, number> = { street: 10, avenue: 24, ronda: 24 }
/** The corners of the Eixample are cut. */
const CUT_CORNER_M = 15
const DEPTH_OF_HOUSES_M = 26
const SMALLEST_M2 = 500
const LANE_M = 9
/** Streets that end this close to another one meet it. */
const REACH_M = 40
/** A larger cell has streets that the demo does not know. */
const LARGEST_CELL_M = 300

const SEGMENTS = STREETS.flatMap(segmentsOf)
const ALONG = SEGMENTS.filter(({ from, to }) => from.up === to.up).map(
  ({ from, to, halfWidth }): GridLine => ({
    at: from.up,
    from: Math.min(from.along, to.along),
    to: Math.max(from.along, to.along),
    halfWidth,
  }),
)
const UP = SEGMENTS.filter(({ from, to }) => from.along === to.along).map(
  ({ from, to, halfWidth }): GridLine => ({
    at: from.along,
    from: Math.min(from.up, to.up),
    to: Math.max(from.up, to.up),
    halfWidth,
  }),
)
const SLANTING = SEGMENTS.filter(({ from, to }) => from.up !== to.up && from.along !== to.along)

/** The blocks of houses of the grid, which other streets cut, and of the quarters around it. */
export function blocks(): Block[] {
  return ALONG.flatMap((south) => UP.flatMap((west) => cellAt(south, west) ?? []))
    .flatMap((cell) => cutBy(SLANTING, cell))
    .concat(QUARTERS.flatMap(cellsOf))
    .filter((outline) => area(outline) > SMALLEST_M2)
    .map((outline) => {
      const courtyard = inset(outline, DEPTH_OF_HOUSES_M)
      return { outline, courtyard: area(courtyard) > SMALLEST_M2 ? courtyard : undefined }
    })
}

function segmentsOf({ line, kind }: Street): Segment[] {
  return line.slice(1).map((to, i) => ({ from: line[i]!, to, halfWidth: HALF_WIDTH_M[kind] }))
}

/** The houses of the cell whose corner is the crossing of two streets. */
function cellAt(south: GridLine, west: GridLine): Point[][] | undefined {
  if (!meet(south, west)) return undefined
  const north = nextAfter(south, ALONG, west)
  const east = nextAfter(west, UP, south)
  if (north === undefined || east === undefined || !meet(north, east)) return undefined
  if (Math.max(north.at - south.at, east.at - west.at) > LARGEST_CELL_M) return undefined
  const low = { along: west.at + west.halfWidth, up: south.at + south.halfWidth }
  const high = { along: east.at - east.halfWidth, up: north.at - north.halfWidth }
  const cut = CUT_CORNER_M
  return [
    [
      { along: low.along + cut, up: low.up },
      { along: high.along - cut, up: low.up },
      { along: high.along, up: low.up + cut },
      { along: high.along, up: high.up - cut },
      { along: high.along - cut, up: high.up },
      { along: low.along + cut, up: high.up },
      { along: low.along, up: high.up - cut },
      { along: low.along, up: low.up + cut },
    ],
  ]
}

function meet(one: GridLine, other: GridLine): boolean {
  return spans(one, other.at) && spans(other, one.at)
}

function spans({ from, to }: GridLine, at: number): boolean {
  return at >= from - REACH_M && at <= to + REACH_M
}

function nextAfter(line: GridLine, all: GridLine[], across: GridLine): GridLine | undefined {
  return all
    .filter((each) => each.at > line.at && meet(each, across))
    .sort((a, b) => a.at - b.at)[0]
}

/** Small blocks in a quarter. Only the streets that vehicles drive on are known there. */
function cellsOf({ corners, block }: Quarter): Point[][] {
  const cells: Point[][] = []
  const [width, depth] = block
  const alongs = corners.map(({ along }) => along)
  const ups = corners.map(({ up }) => up)
  for (let along = minOf(alongs); along < maxOf(alongs); along += width + LANE_M) {
    for (let up = minOf(ups); up < maxOf(ups); up += depth + LANE_M) {
      const cell = [
        { along, up },
        { along: along + width, up },
        { along: along + width, up: up + depth },
        { along, up: up + depth },
      ]
      if (cell.every((corner) => isInside(corner, corners))) addAll(cells, cutBy(SEGMENTS, cell))
    }
  }
  return cells
}

function isInside({ along, up }: Point, outline: Point[]): boolean {
  return outline.reduce((inside, to, i) => {
    const from = outline.at(i - 1)!
    if (from.up > up === to.up > up) return inside
    const part = (up - from.up) / (to.up - from.up)
    return along < from.along + (to.along - from.along) * part ? !inside : inside
  }, false)
}

function cutBy(streets: Segment[], outline: Point[]): Point[][] {
  let pieces = [outline]
  for (const street of streets) {
    pieces = pieces.flatMap((piece) => {
      if (!isCrossed(piece, street)) return [piece]
      const { from, to, halfWidth } = street
      const sides = [clip(piece, from, to, halfWidth), clip(piece, to, from, halfWidth)]
      return sides.filter((side) => side.length > 0)
    })
  }
  return pieces
}

/** Whether a street's middle comes into the box around an outline, as wide as its houses are away. */
function isCrossed(outline: Point[], { from, to, halfWidth }: Segment): boolean {
  let [first, last] = [0, 1]
  for (const axis of ['along', 'up'] as const) {
    const places = outline.map((point) => point[axis])
    const [low, high] = [minOf(places) - halfWidth, maxOf(places) + halfWidth]
    const way = to[axis] - from[axis]
    if (way === 0 && (from[axis] <= low || from[axis] >= high)) return false
    if (way === 0) continue
    const [a, b] = [(low - from[axis]) / way, (high - from[axis]) / way]
    first = Math.max(first, Math.min(a, b))
    last = Math.min(last, Math.max(a, b))
  }
  return first < last
}

/** The part of a convex outline that lies to the left of a line, and this far from it. */
function clip(outline: Point[], from: Point, to: Point, metres: number): Point[] {
  const length = distance(from, to)
  const leftOf = ({ along, up }: Point) =>
    ((to.along - from.along) * (up - from.up) - (to.up - from.up) * (along - from.along)) / length -
    metres
  return outline.flatMap((point, i) => {
    const before = outline.at(i - 1)!
    const [was, is] = [leftOf(before), leftOf(point)]
    const kept = is >= 0 ? [point] : []
    if (was >= 0 === is >= 0) return kept
    const part = was / (was - is)
    return [
      {
        along: before.along + (point.along - before.along) * part,
        up: before.up + (point.up - before.up) * part,
      },
      ...kept,
    ]
  })
}

/** A convex outline, counter-clockwise, made smaller on all sides. */
function inset(outline: Point[], metres: number): Point[] {
  return outline.reduce(
    (rest, from, i) => clip(rest, from, outline[(i + 1) % outline.length]!, metres),
    outline,
  )
}

function area(outline: Point[]): number {
  return outline.reduce((sum, { along, up }, i) => {
    const before = outline.at(i - 1)!
    return sum + (before.along * up - along * before.up) / 2
  }, 0)
}
