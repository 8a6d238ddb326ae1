import { circleRing, metersBetween } from './circle-ring.ts'
import { closedRing } from './places.ts'

export type LonLat = [number, number]
export type Ring = LonLat[]
export type Lines = LonLat[][]
export type Circle = { latitude: number; longitude: number; radius: number | null }

/** The shape of a place, by kind. */
export type Shape =
  | { kind: 'geofence'; value: Ring }
  | { kind: 'route'; value: Lines }
  | { kind: 'site'; value: Circle | null }

/** The drawn radius of a site without one: large enough to click. */
const RADIUS_UNSAID_METERS = 50

/** The shape as GeoJSON, for the map and the drawing tool. A route has one geometry for each line. */
export function geometriesOf(shape: Shape): (GeoJSON.Polygon | GeoJSON.LineString)[] {
  switch (shape.kind) {
    case 'geofence':
      return shape.value.length < 3
        ? []
        : [{ type: 'Polygon', coordinates: [closedRing(shape.value).map(rounded)] }]
    case 'route':
      return shape.value
        .filter((line) => line.length >= 2)
        .map((line) => ({ type: 'LineString', coordinates: line.map(rounded) }))
    case 'site': {
      if (shape.value === null) return []
      const { longitude, latitude, radius } = shape.value
      const ring = circleRing([longitude, latitude], radius || RADIUS_UNSAID_METERS)
      return [{ type: 'Polygon', coordinates: [ring.map(rounded)] }]
    }
  }
}

/** The stored form of a ring: without its first vertex repeated at the end. */
export function ringOf(polygon: GeoJSON.Polygon): Ring {
  return (polygon.coordinates[0] ?? []).slice(0, -1).map(rounded)
}

/** Center and radius of a polygon that was drawn as a circle. */
export function circleOf(polygon: GeoJSON.Polygon): Circle {
  const ring = ringOf(polygon)
  const longitudes = ring.map(([longitude]) => longitude)
  const latitudes = ring.map(([, latitude]) => latitude)
  const middle = rounded([between(longitudes), between(latitudes)])
  const radius = ring.reduce((sum, corner) => sum + metersBetween(middle, corner), 0) / ring.length
  return { longitude: middle[0], latitude: middle[1], radius: Math.round(radius) }
}

/** Seven decimals are about 1 cm. */
export function rounded(position: GeoJSON.Position): LonLat {
  return [Number(position[0]!.toFixed(7)), Number(position[1]!.toFixed(7))]
}

export function positionsOf(shape: Shape): LonLat[] {
  return geometriesOf(shape).flatMap(({ coordinates }) =>
    coordinates.flat().length === 0 ? [] : flatPositions(coordinates),
  )
}

function flatPositions(coordinates: GeoJSON.Position[] | GeoJSON.Position[][]): LonLat[] {
  return typeof coordinates[0]![0] === 'number'
    ? (coordinates as LonLat[])
    : (coordinates as LonLat[][]).flat()
}

function between(values: number[]): number {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    least = Math.min(least, value)
    greatest = Math.max(greatest, value)
  }
  return (least + greatest) / 2
}
