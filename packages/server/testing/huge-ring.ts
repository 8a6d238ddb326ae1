import type { LonLat } from '../src/base/domain/places/place.ts'

/** A circle of this many vertices, with a radius of one degree around 50 degrees north and 10 degrees east. */
export function hugeRing(vertices: number): LonLat[] {
  return Array.from({ length: vertices }, (_, index): LonLat => {
    const angle = (index / vertices) * 2 * Math.PI
    return [10 + Math.cos(angle), 50 + Math.sin(angle)]
  })
}
