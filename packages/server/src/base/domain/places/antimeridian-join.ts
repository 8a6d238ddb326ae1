import { addAll } from '../common/any-number.ts'
import {
  closedRing,
  EDGE,
  isOnEdge,
  meetingLatitude,
  startingAt,
  turnsBetween,
} from './antimeridian-cut.ts'
import type { LonLat } from './place.ts'

/** Two latitudes are one if they have the same decimals, as coordinates have them. */
const SCALE = 1e7
/** Degrees. A meeting was rounded once when the path was cut, and is computed again. */
const TOLERANCE = 1.5 / SCALE

/**
 * The lines that parts were before they were cut at the antimeridian: a line that ends there continues with the next one
 * if that starts at the same point on the other side.
 */
export function joinLines(parts: readonly LonLat[][]): LonLat[][] {
  const lines: LonLat[][] = []
  for (const part of parts) {
    const line = lines.at(-1)
    if (line !== undefined && isCut(line.at(-1), part[0])) addAll(line, part)
    else lines.push([...part])
  }
  return lines.length === parts.length ? lines : lines.map((line) => withoutMeetings(line, false))
}

function isCut(end: LonLat | undefined, start: LonLat | undefined): boolean {
  if (end === undefined || start === undefined || !isOnEdge(end[0])) return false
  return start[0] === -end[0] && keyOf(end) === keyOf(start)
}

/**
 * The ring of polygons that were one until they were cut at the antimeridian, closed. Null if they are no such
 * parts. A ring that goes along both sides of the antimeridian to a pole is a part that is joined with itself.
 */
export function joinRings(parts: readonly LonLat[][]): LonLat[] | null {
  const closed = parts.map(closedRing)
  const turn = Math.sign(area(closed[0]!))
  const paths: LonLat[][] = []
  /** The edges on the antimeridian. */
  const edges: LonLat[][] = []
  for (const ring of closed) {
    const found = openPaths(Math.sign(area(ring)) === turn ? ring : ring.toReversed(), edges)
    if (found === null) return null
    addAll(paths, found)
  }
  addAll(paths, remaining(edges))
  const ring = linkedOnce(paths)
  return ring && startingAt(closedRing(withoutMeetings(ring, true)), closed[0]![0]!)
}

/** Whether all corners of a ring are at 180 degrees: then no edge goes around the globe, and nothing is within. */
export function hasNoWidth(ring: readonly LonLat[]): boolean {
  return ring.length > 0 && ring.every(([longitude]) => isOnEdge(longitude))
}

/** Whether a single ring goes along both sides of the antimeridian, as one around a pole does on a flat map. */
export function isFlatPolarRing(ring: readonly LonLat[]): boolean {
  const sides = new Set<number>()
  for (let i = 1; i < ring.length; i += 1) {
    const [from, to] = [ring[i - 1]!, ring[i]!]
    if (isOnEdge(from[0]) && from[0] === to[0] && from[1] !== to[1]) sides.add(from[0])
  }
  return sides.size === 2
}

/** Twice the area between straight edges on a flat map. Positive: anticlockwise. */
function area(ring: readonly LonLat[]): number {
  let sum = 0
  for (let i = 1; i < ring.length; i += 1) {
    const [[x, y], [toX, toY]] = [ring[i - 1]!, ring[i]!]
    sum += x * toY - toX * y
  }
  return sum
}

/**
 * The paths of a closed ring between its edges on the antimeridian, which are added to `edges`. Null: the ring has no such
 * edge.
 */
function openPaths(ring: readonly LonLat[], edges: LonLat[][]): LonLat[][] | null {
  const paths: LonLat[][] = []
  let path: LonLat[] = [ring[0]!]
  for (let i = 1; i < ring.length; i += 1) {
    const [from, to] = [ring[i - 1]!, ring[i]!]
    if (!isOnEdge(from[0]) || !isOnEdge(to[0])) {
      path.push(to)
      continue
    }
    // The edge along a pole of a flat map has no length.
    if (keyOf(from) !== keyOf(to)) edges.push([from, to])
    paths.push(path)
    path = [to]
  }
  if (paths.length === 0) return null
  paths[0] = [...path, ...paths[0]!.slice(1)]
  return paths.filter(({ length }) => length > 1)
}

/** The edges on the antimeridian that no edge of the other side takes back. */
function remaining(edges: readonly LonLat[][]): LonLat[][] {
  /** By latitude: how many more edges lead north beyond it than before it. */
  const steps = new Map<number, number>()
  for (const [from, to] of edges as [LonLat, LonLat][]) {
    steps.set(keyOf(from), (steps.get(keyOf(from)) ?? 0) + 1)
    steps.set(keyOf(to), (steps.get(keyOf(to)) ?? 0) - 1)
  }
  const unpaired: LonLat[][] = []
  let north = 0
  let south = 0
  for (const key of [...steps.keys()].sort((a, b) => a - b)) {
    const edge: LonLat[] = [
      [EDGE, south / SCALE],
      [EDGE, key / SCALE],
    ]
    if (north !== 0) unpaired.push(north > 0 ? edge : edge.reverse())
    north += steps.get(key)!
    south = key
  }
  return unpaired
}

/** The one ring that all paths make, each followed by the one that starts where it ends. Null if they do not. */
function linkedOnce(paths: readonly LonLat[][]): LonLat[] | null {
  /** The first path of a point is the last of its list, from where it is taken without a move of the others. */
  const startingAt = new Map<number, LonLat[][]>()
  for (const path of paths.toReversed()) {
    const key = keyOf(path[0]!)
    const others = startingAt.get(key)
    if (others === undefined) startingAt.set(key, [path])
    else others.push(path)
  }
  const ring: LonLat[] = []
  let end = keyOf(paths[0]?.[0] ?? [0, 0])
  for (let used = 0; used < paths.length; used += 1) {
    const next = startingAt.get(end)?.pop()
    if (next === undefined) return null
    addAll(ring, next)
    end = keyOf(next.at(-1)!)
  }
  return paths.length > 0 && end === keyOf(paths[0]![0]!) ? ring : null
}

/** A point on the antimeridian, which has two longitudes. */
function keyOf([, latitude]: LonLat): number {
  return Math.round(latitude * SCALE)
}

/** The path without repeated points, and without those where the edge between their neighbors was cut. */
function withoutMeetings(path: readonly LonLat[], isRing: boolean): LonLat[] {
  const points = path.map((point): LonLat => (isOnEdge(point[0]) ? [EDGE, point[1]] : point))
  const distinct = points.filter((point, i) => i === 0 || !isSame(points[i - 1]!, point))
  if (isRing) distinct.pop()
  const { length } = distinct
  return distinct.filter((point, i) => {
    if (point[0] !== EDGE || (!isRing && (i === 0 || i === length - 1))) return true
    const [before, after] = [distinct.at(i - 1)!, distinct[(i + 1) % length]!]
    // A corner in an edge of half a turn says which way around the globe it leads.
    if (Math.abs(after[0] - before[0]) <= EDGE) return true
    const turns = turnsBetween(before[0], after[0])
    return Math.abs(meetingLatitude(before, after, turns) - point[1]) > TOLERANCE
  })
}

function isSame(a: LonLat, b: LonLat): boolean {
  return a[0] === b[0] && keyOf(a) === keyOf(b)
}
