import type { LonLat } from '../../domain/place.ts'
import { takeTurn } from '../../domain/turn.ts'
import { distanceMetres } from '../../fold/rules/geodesic.ts'
import { type EarthPoint, earthPoint } from './earth-point.ts'
import { type RoutePiece, routePieces } from './route-pieces.ts'

/** Pieces made before others have their turn: some 2 ms. */
const PIECES_AT_ONCE = 1_000

/** The line of a route, whose `coordinates` may be long. */
export async function routeLine(lines: readonly (readonly LonLat[])[]): Promise<RouteLine> {
  const pieces: RoutePiece[] = []
  for (const piece of routePieces(lines)) {
    pieces.push(piece)
    if (pieces.length % PIECES_AT_ONCE === 0) await takeTurn()
  }
  return new RouteLine(pieces)
}

/** Pieces that are compared one by one. */
const LEAF_PIECES = 4

/** A box around consecutive pieces: the least and the greatest of each coordinate. */
type Node = {
  readonly least: EarthPoint
  readonly greatest: EarthPoint
} & ({ readonly first: number; readonly last: number } | { readonly halves: readonly [Node, Node] })

/** The geometry of a route. Neighbouring pieces share boxes, so that few are compared with a position. */
export class RouteLine {
  private readonly pieces: readonly RoutePiece[]
  private readonly root: Node
  /** The piece nearest to the last position, with which the next search starts. */
  private nearest = 0

  /** Use `routeLine`. */
  constructor(pieces: readonly RoutePiece[]) {
    this.pieces = pieces
    this.root = this.nodeOf(0, pieces.length - 1)
  }

  /** The distance from a place to the route in metres along the ellipsoid (`distanceMetres`). */
  distanceFrom(latitude: number, longitude: number): number {
    const point = earthPoint(latitude, longitude)
    const search = { square: Number.POSITIVE_INFINITY, piece: 0, part: 0 }
    this.compare(point, this.nearest, search)
    this.search(point, this.root, search)
    this.nearest = search.piece
    const { from, to } = this.pieces[search.piece]!
    return distanceMetres(
      latitude,
      longitude,
      from[1] + (to[1] - from[1]) * search.part,
      from[0] + (to[0] - from[0]) * search.part,
    )
  }

  private nodeOf(first: number, last: number): Node {
    if (last - first < LEAF_PIECES) {
      const pieces = this.pieces.slice(first, last + 1)
      const ends = pieces.flatMap(({ start, end }) => [start, end])
      return { ...boxAround(ends, ends), first, last }
    }
    const middle = (first + last) >> 1
    const halves = [this.nodeOf(first, middle), this.nodeOf(middle + 1, last)] as const
    return {
      ...boxAround(
        halves.map(({ least }) => least),
        halves.map(({ greatest }) => greatest),
      ),
      halves,
    }
  }

  private search(point: EarthPoint, node: Node, search: Search): void {
    if (!('halves' in node)) {
      for (let piece = node.first; piece <= node.last; piece += 1) {
        this.compare(point, piece, search)
      }
      return
    }
    const [one, other] = node.halves
    const [square, otherSquare] = [squareTo(point, one), squareTo(point, other)]
    const isFirst = square <= otherSquare
    if (isFirst && square < search.square) this.search(point, one, search)
    if (otherSquare < search.square) this.search(point, other, search)
    if (!isFirst && square < search.square) this.search(point, one, search)
  }

  /** Takes a piece if it is nearer than the one found so far. */
  private compare([x, y, z]: EarthPoint, piece: number, search: Search): void {
    const { start, end } = this.pieces[piece]!
    const [ax, ay, az] = start
    const [bx, by, bz] = end
    const [dx, dy, dz] = [bx - ax, by - ay, bz - az]
    const length = dx * dx + dy * dy + dz * dz
    const along = (x - ax) * dx + (y - ay) * dy + (z - az) * dz
    const part = length === 0 ? 0 : Math.min(1, Math.max(0, along / length))
    const square = (ax + dx * part - x) ** 2 + (ay + dy * part - y) ** 2 + (az + dz * part - z) ** 2
    if (square >= search.square) return
    search.square = square
    search.piece = piece
    search.part = part
  }
}

/** The nearest piece found so far: the square of its straight distance, and the part of it up to the nearest place. */
type Search = { square: number; piece: number; part: number }

function boxAround(
  least: readonly EarthPoint[],
  greatest: readonly EarthPoint[],
): Pick<Node, 'least' | 'greatest'> {
  const of = (
    choose: (...values: number[]) => number,
    points: readonly EarthPoint[],
  ): EarthPoint => [
    choose(...points.map(([x]) => x)),
    choose(...points.map(([, y]) => y)),
    choose(...points.map(([, , z]) => z)),
  ]
  return { least: of(Math.min, least), greatest: of(Math.max, greatest) }
}

/** The square of the straight distance to the box of a node; 0 within it. */
function squareTo([x, y, z]: EarthPoint, { least, greatest }: Node): number {
  const dx = x < least[0] ? least[0] - x : x > greatest[0] ? x - greatest[0] : 0
  const dy = y < least[1] ? least[1] - y : y > greatest[1] ? y - greatest[1] : 0
  const dz = z < least[2] ? least[2] - z : z > greatest[2] ? z - greatest[2] : 0
  return dx * dx + dy * dy + dz * dz
}
