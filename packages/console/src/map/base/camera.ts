import type { LngLatBoundsLike, Map as MapLibre } from 'maplibre-gl'

export type Bounds = [west: number, south: number, east: number, north: number]

/** Fits an area into the part of the map that its panels leave free. */
export function fit(
  map: MapLibre,
  [west, south, east, north]: Bounds,
  maxZoom: number,
  options: { animate?: boolean } = {},
): void {
  const around: LngLatBoundsLike = [
    [west, south],
    [east, north],
  ]
  map.fitBounds(around, { padding: freeOfPanels(map.getContainer()), maxZoom, ...options })
}

/** How far panels reach in from each side. */
function freeOfPanels(container: HTMLElement) {
  const all = container.getBoundingClientRect()
  const boxOf = (selector: string) =>
    container.parentElement?.parentElement?.querySelector(selector)?.getBoundingClientRect()
  const padding = { top: 56, right: 56, bottom: 56, left: 40 }
  const legend = boxOf('.fleetmap-legend[open]')
  if (legend !== undefined && legend.width < all.width / 2) {
    padding.left = Math.max(padding.left, legend.right - all.left + 24)
  }
  // On a narrow screen the card is below the map.
  const card = boxOf('.fleetmap-card')
  if (card !== undefined && card.top < all.bottom && card.width < all.width / 2) {
    padding.right += all.right - card.left
  }
  return padding
}
