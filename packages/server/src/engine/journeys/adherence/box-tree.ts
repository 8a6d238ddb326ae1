import type { Steps } from '../../../base/domain/common/steps.ts'
import { EQUATORIAL_RADIUS_M, FLATTENING } from '../../tracking/rules/geodesic.ts'
import { type Boxes, CORNERS, type Items, splitSpace } from './split-space.ts'

/** Items or nodes looked at before others may run: some 10 µs. */
const LOOKS_AT_ONCE = 1_000

/** The nearest item so far: the square of its straight distance, and the part of it up to the nearest place. */
export type Nearest = { square: number; item: number; part: number }

/** Finds items near a place. Those near each other share boxes, in whatever order they come (`splitSpace`). */
export class BoxTree {
  private readonly items: Items
  private readonly boxes: Boxes

  static *around(items: Items): Steps<BoxTree> {
    return new BoxTree(items, yield* splitSpace(items))
  }

  private constructor(items: Items, boxes: Boxes) {
    this.items = items
    this.boxes = boxes
  }

  get bytes(): number {
    return Object.values(this.boxes).reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Replaces `nearest` by the item nearest to a place. Of several, the one with the least number counts. */
  *search(place: EarthPoint, nearest: Nearest): Steps<void> {
    const { halves, firsts, counts, entries } = this.boxes
    const nodes = [0]
    const squares = [this.squareTo(place, 0)]
    for (let looks = 1; nodes.length > 0; looks += 1) {
      if (looks % LOOKS_AT_ONCE === 0) yield
      const node = nodes.pop()!
      if (squares.pop()! > nearest.square) continue
      const half = halves[node]!
      if (half === 0) {
        const end = firsts[node]! + counts[node]!
        for (let at = firsts[node]!; at < end; at += 1) {
          this.compare(place, entries[at]!, nearest)
          looks += 1
          if (looks % LOOKS_AT_ONCE === 0) yield
        }
        continue
      }
      const [square, otherSquare] = [this.squareTo(place, half), this.squareTo(place, half + 1)]
      // The nearer half comes first.
      const isFirst = square < otherSquare
      nodes.push(isFirst ? half + 1 : half, isFirst ? half : half + 1)
      squares.push(isFirst ? otherSquare : square, isFirst ? square : otherSquare)
    }
  }

  /** Reports each item within a distance of a place, in any order, some of them several times. */
  *within(
    place: EarthPoint,
    most: number,
    found: (item: number, square: number) => void,
  ): Steps<void> {
    const { halves, firsts, counts, entries } = this.boxes
    const near: Nearest = { square: 0, item: 0, part: 0 }
    const nodes = [0]
    for (let looks = 1; nodes.length > 0; looks += 1) {
      if (looks % LOOKS_AT_ONCE === 0) yield
      const node = nodes.pop()!
      if (this.squareTo(place, node) > most) continue
      const half = halves[node]!
      if (half !== 0) {
        nodes.push(half, half + 1)
        continue
      }
      const end = firsts[node]! + counts[node]!
      for (let at = firsts[node]!; at < end; at += 1) {
        near.square = Number.POSITIVE_INFINITY
        this.compare(place, entries[at]!, near)
        if (near.square <= most) found(near.item, near.square)
        looks += 1
        if (looks % LOOKS_AT_ONCE === 0) yield
      }
    }
  }

  /** Takes an item if it is nearer than the one so far. */
  compare([x, y, z]: EarthPoint, item: number, nearest: Nearest): void {
    const { points, span } = this.items
    const at = item * 3
    let [px, py, pz] = [points[at]!, points[at + 1]!, points[at + 2]!]
    let part = 0
    if (span === 1) {
      const [dx, dy, dz] = [points[at + 3]! - px, points[at + 4]! - py, points[at + 5]! - pz]
      const length = dx * dx + dy * dy + dz * dz
      const along = (x - px) * dx + (y - py) * dy + (z - pz) * dz
      part = length === 0 ? 0 : Math.min(1, Math.max(0, along / length))
      px += dx * part
      py += dy * part
      pz += dz * part
    }
    const square = (px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2
    if (square > nearest.square || (square === nearest.square && item >= nearest.item)) return
    nearest.square = square
    nearest.item = item
    nearest.part = part
  }

  /** The square of the straight distance to the box of a node; 0 within it. */
  private squareTo([x, y, z]: EarthPoint, node: number): number {
    const { corners } = this.boxes
    const at = node * CORNERS
    const dx = Math.max(corners[at]! - x, 0, x - corners[at + 3]!)
    const dy = Math.max(corners[at + 1]! - y, 0, y - corners[at + 4]!)
    const dz = Math.max(corners[at + 2]! - z, 0, z - corners[at + 5]!)
    return dx * dx + dy * dy + dz * dz
  }
}

/*
 * Points on the ellipsoid as rectangular coordinates in meters, with the Earth's center at 0. Straight distances
 * between them order places by nearness without regard to poles and the antimeridian. None is longer than the geodesic.
 */

export type EarthPoint = readonly [x: number, y: number, z: number]

const ECCENTRICITY_SQUARED = FLATTENING * (2 - FLATTENING)

/** In a degree. */
export const RADIANS = Math.PI / 180

/**
 * The point on the ellipsoid at a latitude and a longitude in degrees (NIMA TR8350.2, 4.4.1: the conversion of
 * geodetic to rectangular coordinates, at height 0).
 */
export function earthPoint(latitude: number, longitude: number): EarthPoint {
  const sine = Math.sin(latitude * RADIANS)
  const normal = EQUATORIAL_RADIUS_M / Math.sqrt(1 - ECCENTRICITY_SQUARED * sine * sine)
  const fromAxis = normal * Math.cos(latitude * RADIANS)
  return [
    fromAxis * Math.cos(longitude * RADIANS),
    fromAxis * Math.sin(longitude * RADIANS),
    normal * (1 - ECCENTRICITY_SQUARED) * sine,
  ]
}
