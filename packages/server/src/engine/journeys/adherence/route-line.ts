import type { Steps } from '../../../base/domain/common/steps.ts'
import type { LonLat } from '../../../base/domain/places/place.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { BoxTree, earthPoint, type Nearest, RADIANS } from './box-tree.ts'

/** The geometry of a route, shared by all that compare positions with it. */
export class RouteLine {
  private readonly pieces: RoutePieces
  private readonly tree: BoxTree

  /** The line of a route, whose `coordinates` may be long. */
  static *through(coordinates: readonly (readonly LonLat[])[]): Steps<RouteLine> {
    const pieces = yield* cutPieces(coordinates)
    return new RouteLine(pieces, yield* BoxTree.around({ ...pieces, span: 1 }))
  }

  private constructor(pieces: RoutePieces, tree: BoxTree) {
    this.pieces = pieces
    this.tree = tree
  }

  get bytes(): number {
    const { degrees, points } = this.pieces
    return degrees.byteLength + points.byteLength + this.tree.bytes
  }

  /**
   * The distance from a place to the route in meters along the ellipsoid (`distanceMetres`). `near` keeps the nearest
   * piece for the next place, whose search starts with it: positions are often close to the previous one.
   */
  *distanceFrom(latitude: number, longitude: number, near: Near): Steps<number> {
    const place = earthPoint(latitude, longitude)
    const nearest: Nearest = { square: Number.POSITIVE_INFINITY, item: 0, part: 0 }
    this.tree.compare(place, near.item, nearest)
    yield* this.tree.search(place, nearest)
    near.item = nearest.item
    const { degrees } = this.pieces
    const at = nearest.item * 2
    const [west, south] = [degrees[at]!, degrees[at + 1]!]
    return distanceMetres(
      latitude,
      longitude,
      south + (degrees[at + 3]! - south) * nearest.part,
      west + eastward(west, degrees[at + 2]!) * nearest.part,
    )
  }
}

/** A piece near a place: at first any one. */
export type Near = { item: number }

/** The chord of a piece is at most 2 cm below the surface, and a place on the edge at most 1 cm from its distance 0. */
const PIECE_M = 1_000

/** Pieces become no shorter from here to the pole, where all longitudes meet. */
const MAX_BENT_LATITUDE = 89.9

const MAX_PIECES = 100_000

/** Points computed before others may run: some 50 µs. */
const POINTS_AT_ONCE = 200

/** Edges counted before others may run, in the same way. */
const EDGES_AT_ONCE = 2_000

/** Short stretches of a route, each from a point to the next one, straight between longitudes and latitudes. */
type RoutePieces = {
  /** The longitude and the latitude of each point. Longitudes may exceed 180. */
  readonly degrees: Float64Array
  /** Each point in space, as `earthPoint` gives it. */
  readonly points: Float64Array
  /** The number of the first point of each piece. The last point of a line begins none. */
  readonly items: Uint32Array
}

type Lines = readonly (readonly LonLat[])[]

/**
 * Cuts the lines of a route into pieces. Edges are straight lines between longitudes and latitudes (RFC 7946,
 * 3.1.1) and take the shorter way around the globe. Pieces of extremely long routes are longer.
 */
export function* cutPieces(lines: Lines): Steps<RoutePieces> {
  const { lengths, total } = yield* bentLengthsOf(lines)
  const pieceMetres = Math.max(PIECE_M, total / MAX_PIECES)
  const countOf = (edge: number) => Math.ceil(lengths[edge]! / pieceMetres) || 1
  let count = 0
  for (let edge = 0; edge < lengths.length; edge += 1) {
    count += countOf(edge)
    if (edge % EDGES_AT_ONCE === 0) yield
  }

  const degrees = new Float64Array((count + lines.length) * 2)
  const points = new Float64Array((count + lines.length) * 3)
  const items = new Uint32Array(count)
  let [edge, point, item] = [0, 0, 0]
  const put = (longitude: number, latitude: number) => {
    degrees[point * 2] = longitude
    degrees[point * 2 + 1] = latitude
    points.set(earthPoint(latitude, longitude), point * 3)
    point += 1
  }
  for (const line of lines) {
    for (let vertex = 1; vertex < line.length; vertex += 1) {
      const [from, to] = [line[vertex - 1]!, line[vertex]!]
      const [east, north] = [eastward(from[0], to[0]), to[1] - from[1]]
      const pieces = countOf(edge)
      for (let index = 0; index < pieces; index += 1) {
        items[item] = point
        item += 1
        put(from[0] + (east * index) / pieces, from[1] + (north * index) / pieces)
        if (point % POINTS_AT_ONCE === 0) yield
      }
      edge += 1
    }
    put(...line.at(-1)!)
  }
  return { degrees, points, items }
}

/** The length of each edge, and of all. Edges that bend count as longer, so that they get more pieces. */
function* bentLengthsOf(lines: Lines): Steps<{ lengths: Float64Array; total: number }> {
  const lengths = new Float64Array(lines.reduce((sum, line) => sum + line.length - 1, 0))
  let [edge, total] = [0, 0]
  for (const line of lines) {
    for (let vertex = 1; vertex < line.length; vertex += 1) {
      const [from, to] = [line[vertex - 1]!, line[vertex]!]
      const bend = Math.max(bendAt(from[1]), bendAt(to[1]))
      lengths[edge] = distanceMetres(from[1], from[0], to[1], to[0]) * bend
      total += lengths[edge]!
      edge += 1
      if (edge % POINTS_AT_ONCE === 0) yield
    }
  }
  return { lengths, total }
}

/**
 * How many times shorter the pieces at a latitude are. The middle of a piece of L meters along a parallel is
 * L² tan(latitude) / 8R meters from its chord (the sagitta of an arc of radius R / tan(latitude) in the plane that
 * touches the Earth), which at 45 degrees and 1 km is less than 2 cm.
 */
function bendAt(latitude: number): number {
  const degrees = Math.min(Math.abs(latitude), MAX_BENT_LATITUDE)
  return Math.sqrt(Math.max(1, Math.tan(degrees * RADIANS)))
}

/** Degrees to the east from one longitude to another, by the shorter way. */
function eastward(from: number, to: number): number {
  return to - from - 360 * Math.round((to - from) / 360)
}
