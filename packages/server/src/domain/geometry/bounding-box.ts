/** Degrees (WGS 84), all included. If `west` is greater than `east`, the box crosses the antimeridian. */
export type BoundingBox = {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export function isInside(
  { west, south, east, north }: BoundingBox,
  latitude: number,
  longitude: number,
): boolean {
  if (latitude < south || latitude > north) return false
  // 180 and -180 are one meridian.
  const isOnEdge = longitude === 180 || longitude === -180
  return isBetween(west, east, longitude) || (isOnEdge && isBetween(west, east, -longitude))
}

function isBetween(west: number, east: number, longitude: number): boolean {
  return west <= east
    ? longitude >= west && longitude <= east
    : longitude >= west || longitude <= east
}
