import type { MultiLineString } from 'geojson'

/** The Mercator map ends at this latitude. */
const HIGHEST = 85

/** Meridians and parallels at this distance in degrees. */
export function graticule(step: number): MultiLineString {
  const lines: [number, number][][] = []
  for (let longitude = -180; longitude <= 180; longitude += step) {
    lines.push([
      [longitude, -HIGHEST],
      [longitude, HIGHEST],
    ])
  }
  for (let latitude = -Math.floor(HIGHEST / step) * step; latitude <= HIGHEST; latitude += step) {
    lines.push([
      [-180, latitude],
      [180, latitude],
    ])
  }
  return { type: 'MultiLineString', coordinates: lines }
}
