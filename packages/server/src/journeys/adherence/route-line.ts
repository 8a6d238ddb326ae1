import type { Steps } from '../../domain/common/steps.ts'
import type { LonLat } from '../../domain/place.ts'
import { distanceMetres } from '../../tracking/rules/geodesic.ts'
import { BoxTree, type Nearest } from './box-tree.ts'
import { earthPoint } from './earth-point.ts'
import { cutPieces, eastward, type RoutePieces } from './route-pieces.ts'

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
   * The distance from a place to the route in metres along the ellipsoid (`distanceMetres`). `near` keeps the nearest
   * piece for the next place, whose search starts with it: positions are often close to the one before.
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
