import type { Map as MapLibre } from 'maplibre-gl'

export type Camera = { center: [longitude: number, latitude: number]; zoom: number }

/** Where the map of an organization was left in this browser. */
export function lastCamera(organization: number): Camera | undefined {
  try {
    const [longitude, latitude, zoom] = JSON.parse(localStorage.getItem(keyOf(organization)) ?? '')
    if (![longitude, latitude, zoom].every(Number.isFinite)) return undefined
    return { center: [longitude, latitude], zoom }
  } catch {
    // There is none, or storage is forbidden.
    return undefined
  }
}

export function keepCamera(organization: number, map: MapLibre): void {
  const { lng, lat } = map.getCenter()
  const rounded = [lng, lat].map((degrees) => Number(degrees.toFixed(5)))
  const camera = [...rounded, Number(map.getZoom().toFixed(2))]
  try {
    localStorage.setItem(keyOf(organization), JSON.stringify(camera))
  } catch {
    // The next visit starts with the fleet.
  }
}

function keyOf(organization: number): string {
  return `fleetgate.map.${organization}`
}
