import type { GeoJSONSource, LayerSpecification, Map as MapLibre } from 'maplibre-gl'

/** Gives a source its shapes. Adds it, if the map does not have it yet. */
export function setShapes(map: MapLibre, id: string, data: GeoJSON.GeoJSON): void {
  const source = map.getSource<GeoJSONSource>(id)
  if (source === undefined) map.addSource(id, { type: 'geojson', data })
  else source.setData(data)
}

/** Gives a layer its paint. Adds it below another one, if the map does not have it yet. */
export function setLayer(map: MapLibre, layer: LayerSpecification, above?: string): void {
  if (map.getLayer(layer.id) === undefined) {
    map.addLayer(layer, above)
    return
  }
  for (const [property, value] of Object.entries(layer.paint ?? {})) {
    map.setPaintProperty(layer.id, property as 'line-color', value)
  }
}

/** Removes sources, with the layers that draw them. */
export function removeShapes(map: MapLibre, ids: readonly string[]): void {
  // The map and its style may be gone by now.
  if (map.style === undefined) return
  for (const layer of map.getStyle().layers) {
    if ('source' in layer && ids.includes(layer.source)) map.removeLayer(layer.id)
  }
  for (const id of ids) if (map.getSource(id)) map.removeSource(id)
}

export function shape(geometry: GeoJSON.Geometry): GeoJSON.Feature {
  return { type: 'Feature', properties: {}, geometry }
}
