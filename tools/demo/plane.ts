import type { LonLat } from '../../packages/server/src/base/domain/places/place.ts'
import {
  METRES_PER_DEGREE,
  rounded,
} from '../../packages/server/src/work/simulated/demo/street-place.ts'

/**
 * Positions in the city: meters from the crossing of Passeig de Gràcia and Gran Via, `along` the coast
 * towards the Besòs and `up` towards the mountains. The streets of the Eixample run along these two axes,
 * so each is one number.
 */
export type Point = { along: number; up: number }

const ORIGIN: LonLat = [2.16815, 41.38955]
/** The grid is rotated by this angle from east and north (measured on addresses along its streets). */
const TURN = (44.5 * Math.PI) / 180

/** Points written as along and up in turn. */
export function points(flat: readonly number[]): Point[] {
  const all: Point[] = []
  for (let i = 0; i < flat.length; i += 2) all.push({ along: flat[i]!, up: flat[i + 1]! })
  return all
}

export function toLonLat({ along, up }: Point): LonLat {
  const east = along * Math.cos(TURN) - up * Math.sin(TURN)
  const north = along * Math.sin(TURN) + up * Math.cos(TURN)
  return [
    rounded(ORIGIN[0] + east / METRES_PER_DEGREE.longitude, 1e7),
    rounded(ORIGIN[1] + north / METRES_PER_DEGREE.latitude, 1e7),
  ]
}

/** The heading from one point to another, degrees clockwise from north, 0 up to 360. */
export function bearing(from: Point, to: Point): number {
  const angle = Math.atan2(to.along - from.along, to.up - from.up) - TURN
  return ((((angle * 180) / Math.PI) % 360) + 360) % 360
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(b.along - a.along, b.up - a.up)
}

/** The point at a share of the way from one point to another. */
export function between(a: Point, b: Point, part: number): Point {
  return { along: a.along + (b.along - a.along) * part, up: a.up + (b.up - a.up) * part }
}

/** Meters above the sea: flat near the shore, steeper towards the mountains. */
export function elevation({ up }: Point): number {
  return up < 0 ? Math.max(3, 20 + up * 0.0105) : 20 + up * 0.016 + up * up * 0.000009
}
