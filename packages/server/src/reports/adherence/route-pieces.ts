import type { LonLat } from '../../domain/place.ts'
import { distanceMetres } from '../../fold/rules/geodesic.ts'
import { type EarthPoint, earthPoint } from './earth-point.ts'

/** A short stretch of a route, straight between longitudes and latitudes. */
export type RoutePiece = {
  /** Longitudes may go on beyond 180. */
  readonly from: LonLat
  readonly to: LonLat
  readonly start: EarthPoint
  readonly end: EarthPoint
}

type Edge = Pick<RoutePiece, 'from' | 'to'> & { readonly metres: number }

/** The chord of a piece lies 2 cm below the surface at most. */
const PIECE_M = 1_000
const MAX_PIECES = 100_000

/**
 * Cuts the lines of a route into pieces. Edges are straight lines between longitudes and latitudes (RFC 7946,
 * 3.1.1) and take the shorter way around the globe. Pieces of extremely long routes are longer.
 */
export function* routePieces(lines: readonly (readonly LonLat[])[]): Generator<RoutePiece> {
  const edges = lines.flatMap(edgesOf)
  const length = edges.reduce((sum, { metres }) => sum + metres, 0)
  const pieceMetres = Math.max(PIECE_M, length / MAX_PIECES)
  for (const edge of edges) yield* cut(edge, Math.ceil(edge.metres / pieceMetres) || 1)
}

function edgesOf(line: readonly LonLat[]): Edge[] {
  return line.slice(1).map(([longitude, latitude], index) => {
    const from = line[index]!
    const turns = Math.round((longitude - from[0]) / 360)
    const metres = distanceMetres(from[1], from[0], latitude, longitude)
    return { from, to: [longitude - 360 * turns, latitude], metres }
  })
}

function* cut({ from, to }: Edge, count: number): Generator<RoutePiece> {
  const at = (index: number): LonLat => [
    from[0] + ((to[0] - from[0]) * index) / count,
    from[1] + ((to[1] - from[1]) * index) / count,
  ]
  for (let index = 0; index < count; index += 1) {
    const [one, other] = [at(index), at(index + 1)]
    const [start, end] = [earthPoint(one[1], one[0]), earthPoint(other[1], other[0])]
    yield { from: one, to: other, start, end }
  }
}
