/**
 * Lines and rings as GeoJSON has them: cut where they cross the antimeridian (RFC 7946, 3.1.9). Positions are longitude
 * and latitude in degrees. Each edge is straight between these, and takes the shorter way around the globe.
 */

type Position = [longitude: number, latitude: number]
type Path = Position[]

/** The meridian at 180 degrees, which has two longitudes. */
export const EDGE = 180
/** A meeting of an edge and the antimeridian has the decimals of coordinates. */
const SCALE = 1e7

/** Whether an edge goes across the antimeridian. */
export function isAcross(path: readonly Readonly<Position>[]): boolean {
  for (let i = 1; i < path.length; i += 1) {
    if (turnsBetween(path[i - 1]![0], path[i]![0]) !== 0) return true
  }
  return false
}

/** The parts of a line. A line that does not cross the antimeridian is its only part. */
export function cutLine(line: Path): Path[] {
  if (!isAcross(line)) return [line]
  const parts = runsOf(line).filter(({ length }) => length > 1)
  return parts.length === 0 ? [line] : parts
}

/**
 * The outer rings of the polygons that a ring becomes, each closed. A ring around a pole contains the pole that is
 * nearer to it, and gets an edge along that.
 */
export function cutRing(ring: Path): Path[] {
  const closed = closedRing(ring)
  if (!isAcross(closed)) return [closed]
  const runs = runsOf(closed)
  const last = runs.pop()!
  if (runs.length > 0) runs[0] = [...last, ...runs[0]!.slice(1)]
  const isAroundPole = runs.length % 2 === 1
  if (isAroundPole) runs.push(alongPole(runs, poleOf(closed)))
  const rings = runs.length === 0 ? [last] : linked(runs)
  const parts = rings.filter((part) => part.some(([longitude]) => !isOnEdge(longitude)))
  return parts.length === 0 ? [closed] : parts.map((part) => startingAt(part, closed[0]!))
}

/** The closed ring from this position on, if it has it. */
export function startingAt(ring: Path, [longitude, latitude]: Readonly<Position>): Path {
  const start = ring.findIndex(
    ([x, y]) => y === latitude && (x === longitude || (isOnEdge(x) && isOnEdge(longitude))),
  )
  return start < 1 ? ring : [...ring.slice(start, -1), ...ring.slice(0, start + 1)]
}

/** GeoJSON repeats the first position of a ring at its end (RFC 7946, 3.1.6). */
export function closedRing(ring: Path): Path {
  const [first, last] = [ring[0], ring.at(-1)]
  if (first === undefined || last === undefined) return ring
  return first[0] === last[0] && first[1] === last[1] ? ring : [...ring, first]
}

/** The pole that is nearer to a ring. */
function poleOf(ring: readonly Readonly<Position>[]): 90 | -90 {
  let [north, south] = [-90, 90]
  for (const [, latitude] of ring) {
    north = Math.max(north, latitude)
    south = Math.min(south, latitude)
  }
  return north + south < 0 ? -90 : 90
}

export function isOnEdge(longitude: number): boolean {
  return Math.abs(longitude) === EDGE
}

/** The turns around the globe that the shorter way between two longitudes saves: 1 if it goes west, -1 if east. */
export function turnsBetween(from: number, to: number): number {
  return Math.round((to - from) / 360)
}

/** The latitude where the edge between two positions meets the antimeridian. `turns`: those between them, not 0. */
export function meetingLatitude(
  [fromLongitude, from]: Readonly<Position>,
  [toLongitude, to]: Readonly<Position>,
  turns: number,
): number {
  const [start, end] = [-turns * fromLongitude, -turns * toLongitude]
  const share = (EDGE - start) / (360 + end - start)
  return Math.round((from + share * (to - from)) * SCALE) / SCALE
}

/** The runs of a path between its meetings with the antimeridian. A run begins and ends where the path was cut. */
function runsOf(path: Path): Path[] {
  let run: Path = []
  const runs = [run]
  let before: Position | null = null
  for (const position of path) {
    // One of the two longitudes is enough to find where the path changes sides.
    const next: Position = isOnEdge(position[0]) ? [EDGE, position[1]] : position
    const turns = before === null ? 0 : turnsBetween(before[0], next[0])
    if (before !== null && turns !== 0) {
      const latitude = meetingLatitude(before, next, turns)
      append(run, [-turns * EDGE, latitude])
      run = [[turns * EDGE, latitude]]
      runs.push(run)
    }
    append(run, next)
    before = next
  }
  return runs
}

/** The run along a pole that leads from the side where the other runs end to the side where they begin. */
function alongPole(runs: readonly Path[], pole: number): Path {
  const sides = runs.reduce((sum, run) => sum + Math.sign(run.at(-1)![0]), 0)
  const from = Math.sign(sides) * EDGE
  return [
    [from, pole],
    [-from, pole],
  ]
}

/**
 * The closed rings that runs make along the antimeridian. On each of its sides the ring is inside between the first end
 * and the first start of a run, by latitude, between the second ones, and so on.
 */
function linked(runs: readonly Path[]): Path[] {
  const nextOf = new Map<Path, Path>()
  for (const side of [EDGE, -EDGE]) {
    const starts = runs.filter((run) => run[0]![0] === side)
    const ends = runs.filter((run) => run.at(-1)![0] === side)
    starts.sort((a, b) => a[0]![1] - b[0]![1])
    ends.sort((a, b) => a.at(-1)![1] - b.at(-1)![1])
    for (const [index, run] of ends.entries()) nextOf.set(run, starts[index]!)
  }
  const rings: Path[] = []
  for (const first of runs) {
    if (!nextOf.has(first)) continue
    const ring: Path = []
    for (let run = first; nextOf.has(run); ) {
      for (const position of run) append(ring, position)
      const next = nextOf.get(run)!
      nextOf.delete(run)
      run = next
    }
    rings.push(closedRing(ring))
  }
  return rings
}

function append(path: Path, position: Position): void {
  const last = path.at(-1)
  if (last?.[0] !== position[0] || last[1] !== position[1]) path.push(position)
}
