import type { StyleSpecification } from 'maplibre-gl'
import type { Server } from '../api/types.ts'
import type { Palette } from './palette.ts'
import type { World } from './world.ts'

/** The browser draws labels from its own fonts: a style without `glyphs` requests no files. */
export const MAP_FONT = ['system-ui']

const NOTHING = { type: 'FeatureCollection' as const, features: [] }

/**
 * The base map: the world that ships with the console, or the configured tiles. Natural Earth's lines are
 * drawn for 1:50,000,000, so they are cut into tiles up to zoom 6 only.
 */
export function baseStyle(map: Server['map'], palette: Palette): StyleSpecification {
  if (map.tiles_url !== null) return tilesStyle(map.tiles_url, map.attribution, palette)
  const attribution = 'Natural Earth'
  return {
    version: 8,
    sources: { world: { type: 'geojson', data: NOTHING, maxzoom: 6, attribution } },
    layers: [
      { id: 'water', type: 'background' },
      { id: 'land', ...of('land'), type: 'fill', paint: { 'fill-antialias': false } },
      { id: 'graticule', ...of('graticule'), type: 'line', paint: { 'line-width': 0.5 } },
      {
        id: 'lines',
        ...of('line'),
        type: 'line',
        paint: { 'line-width': ['interpolate', ['linear'], ['zoom'], 2, 0.6, 8, 1.6] },
      },
      {
        id: 'names',
        ...of('name'),
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
        paint: { 'text-halo-width': 1.2 },
      },
    ].map((layer) => painted(layer as Layer, palette)),
  }
}

/** A layer for the features of one kind. */
function of(kind: World['features'][number]['properties']['kind']) {
  return { source: 'world', filter: ['==', ['get', 'kind'], kind] }
}

type Layer = StyleSpecification['layers'][number]

/** The names of a base layer's colours and their values in a palette. */
export function basePaint(palette: Palette): Record<string, Record<string, string>> {
  return {
    water: { 'background-color': palette.water },
    land: { 'fill-color': palette.land },
    graticule: { 'line-color': palette.graticule },
    lines: { 'line-color': palette.border },
    names: { 'text-color': palette.label, 'text-halo-color': palette.labelHalo },
  }
}

function painted(layer: Layer, palette: Palette): Layer {
  const paint = { ...layer.paint, ...basePaint(palette)[layer.id] }
  return { ...layer, paint } as Layer
}

function tilesStyle(url: string, attribution: string | null, palette: Palette): StyleSpecification {
  return {
    version: 8,
    sources: {
      tiles: {
        type: 'raster',
        tiles: [url],
        tileSize: 256,
        ...(attribution === null ? {} : { attribution }),
      },
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.land } },
      { id: 'tiles', type: 'raster', source: 'tiles' },
    ],
  }
}
