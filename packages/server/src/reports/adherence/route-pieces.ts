import type { LonLat } from '../../domain/place.ts'
import { distanceMetres } from '../../fold/rules/geodesic.ts'

/** A short stretch of a route, straight between longitudes and latitudes. Longitudes may go on beyond 180. */
export type RoutePiece = { readonly from: LonLat; readonly to: LonLat }

/** The chord of a piece lies 2 cm below the surface at most. */
const PIECE_M = 1_000
const MAX_PIECES = 100_000

/**
 * Cuts the lines of a route into pieces. Edges are straight lines between longitudes and latitudes (RFC 7946,
 * 3.1.1) and take the shorter way around the globe. Pieces of extremely long routes are longer.
 */
export function routePieces(lines: readonly (readonly LonLat[])[]): RoutePiece[] {
  const edges = lines.flatMap(edgesOf)
  const metres = edges.map(({ from, to }) => distanceMetres(from[1], from[0], to[1], to[0]))
  const length = metres.reduce((sum, each) => sum + each, 0)
  const pieceMetres = Math.max(PIECE_M, length / MAX_PIECES)
  return edges.flatMap((edge, index) => cut(edge, Math.ceil(metres[index]! / pieceMetres) || 1))
}

function edgesOf(line: readonly LonLat[]): RoutePiece[] {
  return line.slice(1).map(([longitude, latitude], index) => {
    const from = line[index]!
    const turns = Math.round((longitude - from[0]) / 360)
    return { from, to: [longitude - 360 * turns, latitude] }
  })
}

function cut({ from, to }: RoutePiece, count: number): RoutePiece[] {
  const at = (index: number): LonLat => [
    from[0] + ((to[0] - from[0]) * index) / count,
    from[1] + ((to[1] - from[1]) * index) / count,
  ]
  return Array.from({ length: count }, (_, index) => ({ from: at(index), to: at(index + 1) }))
}
