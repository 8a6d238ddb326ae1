import type { Map as MapLibre } from 'maplibre-gl'
import { Kept } from '../../kept.ts'

export type Camera = { center: [longitude: number, latitude: number]; zoom: number }

/** Where the map of an organization was left in this browser. */
export function lastCamera(organization: number): Camera | undefined {
  const numbers = keptFor(organization).get()?.split(',').map(Number) ?? []
  const [longitude = Number.NaN, latitude = Number.NaN, zoom = Number.NaN] = numbers
  if (![longitude, latitude, zoom].every(Number.isFinite)) return undefined
  return { center: [longitude, latitude], zoom }
}

export function keepCamera(organization: number, map: MapLibre): void {
  const { lng, lat } = map.getCenter()
  const rounded = [lng, lat].map((degrees) => Number(degrees.toFixed(5)))
  const camera = [...rounded, Number(map.getZoom().toFixed(2))]
  keptFor(organization).set(camera.join())
}

const kept = new Map<number, Kept>()

function keptFor(organization: number): Kept {
  const known = kept.get(organization) ?? new Kept(`map.${organization}`)
  kept.set(organization, known)
  return known
}
