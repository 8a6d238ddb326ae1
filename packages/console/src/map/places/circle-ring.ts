const EARTH_RADIUS_METERS = 6_371_008.8

/** The circle with this radius in meters around a place, as a closed ring. */
export function circleRing(
  [longitude, latitude]: readonly [number, number],
  meters: number,
  corners = 64,
): [number, number][] {
  const away = meters / EARTH_RADIUS_METERS
  const phi = radians(latitude)
  return Array.from({ length: corners + 1 }, (_, corner) => {
    const turn = (2 * Math.PI * (corner % corners)) / corners
    const sin = Math.sin(phi) * Math.cos(away) + Math.cos(phi) * Math.sin(away) * Math.cos(turn)
    const to = Math.atan2(
      Math.sin(turn) * Math.sin(away) * Math.cos(phi),
      Math.cos(away) - Math.sin(phi) * sin,
    )
    return [longitude + degrees(to), degrees(Math.asin(sin))]
  })
}

/** Great-circle distance by the haversine formula. */
export function metersBetween(
  [longitude1, latitude1]: readonly [number, number],
  [longitude2, latitude2]: readonly [number, number],
): number {
  const half =
    Math.sin(radians(latitude2 - latitude1) / 2) ** 2 +
    Math.cos(radians(latitude1)) *
      Math.cos(radians(latitude2)) *
      Math.sin(radians(longitude2 - longitude1) / 2) ** 2
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(half)))
}

function radians(value: number): number {
  return (value * Math.PI) / 180
}

function degrees(value: number): number {
  return (value * 180) / Math.PI
}
