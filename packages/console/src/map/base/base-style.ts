import type {
  FilterSpecification,
  LayerSpecification,
  SourceSpecification,
  StyleSpecification,
} from 'maplibre-gl'
import type { Server } from '../../api/types.ts'
import type { Palette } from './palette.ts'
import { MAP_FONT, streetLayers, TILES } from './street-layers.ts'
import { tilesFile } from './tiles-file.ts'
import type { World } from './world.ts'

/** `file_url`: the address of the operator's tiles file, unless it is the console's own. */
export type BaseMap = Server['map'] & { file_url?: string }

const NOTHING = { type: 'FeatureCollection' as const, features: [] }

/**
 * The base map: the world that ships with the console, with the operator's tiles file above it, or tiles
 * that the operator has elsewhere. Natural Earth's lines are drawn for 1:50,000,000, so they are cut into
 * tiles up to zoom 6 only.
 */
export function baseStyle(map: BaseMap, palette: Palette): StyleSpecification {
  const tiles = tilesSource(map)
  if (map.tiles_url !== null) {
    return { version: 8, sources: { [TILES]: tiles! }, layers: [background(palette.land), IMAGES] }
  }
  const world: SourceSpecification = { type: 'geojson', data: NOTHING, maxzoom: 6 }
  return {
    version: 8,
    sources: {
      world: { ...world, attribution: 'Natural Earth' },
      ...(tiles && { [TILES]: tiles }),
    },
    layers: [
      background(palette.water),
      ...worldLayers(palette),
      ...(map.tiles_file === 'raster' ? [IMAGES] : []),
      ...(map.tiles_file === 'vector' ? streetLayers(palette) : []),
      countryNames(palette),
    ],
  }
}

const IMAGES: LayerSpecification = { id: 'tiles', type: 'raster', source: TILES }

function tilesSource({
  tiles_url,
  tiles_file,
  attribution,
  file_url,
}: BaseMap): SourceSpecification | undefined {
  const said = attribution === null ? {} : { attribution }
  if (tiles_url !== null) return { type: 'raster', tiles: [tiles_url], tileSize: 256, ...said }
  if (tiles_file === null) return undefined
  if (tiles_file === 'vector') return { type: 'vector', url: tilesFile(file_url), ...said }
  return { type: 'raster', url: tilesFile(file_url), tileSize: 256, ...said }
}

function background(color: string): LayerSpecification {
  return { id: 'water', type: 'background', paint: { 'background-color': color } }
}

function worldLayers({ land, graticule, border }: Palette): LayerSpecification[] {
  return [
    {
      id: 'land',
      ...of('land'),
      type: 'fill',
      paint: { 'fill-antialias': false, 'fill-color': land },
    },
    {
      id: 'graticule',
      ...of('graticule'),
      type: 'line',
      paint: { 'line-width': 0.5, 'line-color': graticule },
    },
    {
      id: 'lines',
      ...of('line'),
      type: 'line',
      paint: {
        'line-width': ['interpolate', ['linear'], ['zoom'], 2, 0.6, 8, 1.6],
        'line-color': border,
      },
    },
  ]
}

function countryNames({ label, labelHalo }: Palette): LayerSpecification {
  return {
    id: 'names',
    source: 'world',
    type: 'symbol',
    // Large countries first, small ones at a higher zoom.
    filter: [
      'all',
      ['==', ['get', 'kind'], 'name'],
      ['>', ['*', ['get', 'area'], ['^', 4, ['zoom']]], 1_200],
    ],
    layout: {
      'text-field': ['get', 'name'],
      'text-font': MAP_FONT,
      'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 6, 14],
      'text-max-width': 7,
      'text-padding': 6,
      'symbol-sort-key': ['-', ['get', 'area']],
    },
    paint: { 'text-halo-width': 1.2, 'text-color': label, 'text-halo-color': labelHalo },
  }
}

/** A layer for the features of one kind. */
function of(kind: World['features'][number]['properties']['kind']) {
  return { source: 'world', filter: ['==', ['get', 'kind'], kind] as FilterSpecification }
}
