import type {
  ExpressionSpecification,
  FilterSpecification,
  LayerSpecification,
  Map as MapLibre,
} from 'maplibre-gl'
import { PLACE_TOPICS } from '../../../../server/src/base/domain/item-rules.ts'
import type { PlaceKind } from '../../api/queries.ts'
import type { Palette } from '../base/palette.ts'
import { setLayer, setShapes } from '../base/shapes-on-map.ts'
import { MAP_FONT } from '../base/street-layers.ts'
import type { Layers } from '../layers.ts'
import { type Places, placeFeatures } from './places.ts'

const SOURCE = 'places'
const KINDS = PLACE_TOPICS

/** From this zoom on places have their names, where those of vehicles leave room. */
const NAMES_ZOOM = 12

/** Draws places on the map, below the fleet and the track of a day. Draws them again when they change. */
export function drawPlaces(map: MapLibre, places: Places, palette: Palette, shown: Layers): void {
  setShapes(map, SOURCE, placeFeatures(places))
  const above = map.getLayersOrder().find((id) => id === 'fleet' || id.startsWith('track-'))
  for (const layer of layers(palette)) setLayer(map, layer, above)
  showPlaces(map, shown)
}

export function showPlaces(map: MapLibre, { places, routes }: Layers): void {
  for (const { id } of map.getStyle().layers) {
    const kind = KINDS.find((one) => id.startsWith(`${one}-`))
    if (kind === undefined) continue
    const isShown = kind === 'routes' ? routes : places
    map.setLayoutProperty(id, 'visibility', isShown ? 'visible' : 'none')
  }
}

function layers(palette: Palette): LayerSpecification[] {
  const color: ExpressionSpecification = ['coalesce', ['get', 'color'], palette.place]
  const source = SOURCE
  return [
    {
      id: 'geofences-fill',
      type: 'fill',
      source,
      filter: of('geofences', 'Polygon'),
      paint: { 'fill-color': color, 'fill-opacity': 0.07 },
    },
    {
      id: 'geofences-edge',
      type: 'line',
      source,
      filter: of('geofences', 'Polygon'),
      paint: { 'line-color': color, 'line-width': 1, 'line-opacity': 0.55 },
    },
    {
      id: 'routes-line',
      type: 'line',
      source,
      filter: of('routes', 'LineString'),
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': color, 'line-width': 3, 'line-opacity': 0.65 },
    },
    {
      id: 'sites-reach',
      type: 'fill',
      source,
      filter: of('sites', 'Polygon'),
      paint: { 'fill-color': color, 'fill-opacity': 0.1, 'fill-outline-color': color },
    },
    {
      id: 'sites-point',
      type: 'circle',
      source,
      filter: of('sites', 'Point'),
      paint: {
        'circle-color': color,
        'circle-opacity': 0.65,
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 8, 1.5, 14, 3.5],
      },
    },
    ...KINDS.map((kind) => nameLayer(kind, palette)),
  ]
}

function nameLayer(kind: PlaceKind, palette: Palette): LayerSpecification {
  return {
    id: `${kind}-name`,
    type: 'symbol',
    source: SOURCE,
    minzoom: NAMES_ZOOM,
    filter: of(kind, kind === 'routes' ? 'LineString' : 'Point'),
    layout: {
      'text-field': ['get', 'name'],
      'text-font': MAP_FONT,
      'text-size': 11,
      ...(kind === 'routes' ? { 'symbol-placement': 'line' as const } : {}),
      ...(kind === 'sites' ? { 'text-offset': [0, 1], 'text-anchor': 'top' as const } : {}),
    },
    paint: {
      'text-color': palette.label,
      'text-opacity': 0.85,
      'text-halo-color': palette.labelHalo,
      'text-halo-width': 1.2,
    },
  }
}

function of(kind: PlaceKind, type: 'Point' | 'LineString' | 'Polygon'): FilterSpecification {
  return ['all', ['==', ['get', 'kind'], kind], ['==', ['geometry-type'], type]]
}
