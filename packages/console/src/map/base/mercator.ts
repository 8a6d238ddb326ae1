/** The Mercator world is square, so it ends at this latitude. */
const HIGHEST_LATITUDE = 85.051129

/** Width of the world in pixels at zoom 0, as MapLibre counts zoom. */
export const WORLD_PX = 512

/** 0 at the antimeridian in the west, 1 in the east. */
export function mercatorX(longitude: number): number {
  return (longitude + 180) / 360
}

/** 0 in the north, 1 in the south. */
export function mercatorY(latitude: number): number {
  const held = Math.max(-HIGHEST_LATITUDE, Math.min(HIGHEST_LATITUDE, latitude))
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (held * Math.PI) / 360)) / (2 * Math.PI)
}

export function longitudeAt(x: number): number {
  return x * 360 - 180
}

export function latitudeAt(y: number): number {
  return (Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 360) / Math.PI - 90
}

export function worldPx(zoom: number): number {
  return WORLD_PX * 2 ** zoom
}
