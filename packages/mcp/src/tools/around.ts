/** Degrees (WGS 84). */
export type Point = { latitude: number; longitude: number }
export type Box = { west: number; south: number; east: number; north: number }

/** The mean radius of the earth (IUGG). A sphere is wrong by 0.6 % at most, which is enough to order vehicles. */
const EARTH_KM = 6_371.0088
const KM_PER_DEGREE = (Math.PI * EARTH_KM) / 180
/** Room for the difference between the sphere and the ellipsoid. */
const SPARE = 1.01

/** The distance along a great circle, by the haversine formula. */
export function distanceKm(a: Point, b: Point): number {
  const [south, north] = [radians(a.latitude), radians(b.latitude)]
  const east = radians(b.longitude - a.longitude)
  const chord =
    Math.sin((north - south) / 2) ** 2 + Math.cos(south) * Math.cos(north) * Math.sin(east / 2) ** 2
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(chord)))
}

/** A box with all points within a radius. It may cross the antimeridian: then `west` is above `east`. */
export function boxAround({ latitude, longitude }: Point, radiusKm: number): Box {
  const high = (radiusKm * SPARE) / KM_PER_DEGREE
  const south = Math.max(-90, latitude - high)
  const north = Math.min(90, latitude + high)
  const narrowest = Math.cos(radians(Math.max(Math.abs(south), Math.abs(north))))
  const wide = high / narrowest
  // A circle around a pole has all longitudes.
  if (!(wide < 180)) return { west: -180, south, east: 180, north }
  return { west: turned(longitude - wide), south, east: turned(longitude + wide), north }
}

function turned(longitude: number): number {
  if (longitude < -180) return longitude + 360
  return longitude > 180 ? longitude - 360 : longitude
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
