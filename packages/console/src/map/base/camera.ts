import type { LngLatBoundsLike, Map as MapLibre } from 'maplibre-gl'

/** Fits an area into the part of the map that panels leave free. */
export function fit(
  map: MapLibre,
  [west, south, east, north]: [number, number, number, number],
  maxZoom: number,
): void {
  const around: LngLatBoundsLike = [
    [west, south],
    [east, north],
  ]
  map.fitBounds(around, { padding: freeOfPanels(map.getContainer()), maxZoom })
}

/** How far panels reach in from each side. A panel that leaves no room is ignored. */
function freeOfPanels(container: HTMLElement) {
  const all = container.getBoundingClientRect()
  const padding = { top: 64, right: 40, bottom: 72, left: 40 }
  const card = container.parentElement?.querySelector('.fleetmap-card')?.getBoundingClientRect()
  const track = container.parentElement?.querySelector('.fleetmap-track')?.getBoundingClientRect()
  const legend = container.parentElement
    ?.querySelector('.fleetmap-legend[open]')
    ?.getBoundingClientRect()
  if (legend !== undefined && legend.width < all.width / 2)
    padding.left = Math.max(padding.left, legend.right - all.left + 24)
  if (card !== undefined && card.width < all.width / 2) padding.right += all.right - card.left
  for (const sheet of [track, card]) {
    if (sheet !== undefined && sheet.width > all.width / 2 && sheet.height < all.height * 0.7) {
      padding.bottom = Math.max(padding.bottom, all.bottom - sheet.top + 24)
    }
  }
  return padding
}

/** How far from the middle an object is shown: above its card on a narrow screen. */
export function besidePanels(map: MapLibre): [number, number] {
  const { clientWidth, clientHeight } = map.getContainer()
  return clientWidth <= 700 ? [0, -clientHeight / 4] : [0, 0]
}
