import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl'
import type { Palette } from './palette.ts'

/** The browser draws labels from its own fonts: a style without `glyphs` requests no files. */
export const MAP_FONT = ['system-ui']

/** The source of the tiles, for all layers below. */
export const TILES = 'tiles'

type Filter = ExpressionSpecification
type Width = [zoom: number, pixels: number][]

const GREEN = ['park', 'national_park', 'nature_reserve', 'protected_area', 'forest', 'wood']
GREEN.push('cemetery', 'golf_course', 'grass', 'grassland', 'scrub', 'garden', 'village_green')
GREEN.push('playground', 'allotments', 'zoo', 'recreation_ground')
const SITES = ['industrial', 'hospital', 'school', 'university', 'college', 'aerodrome', 'pier']
const NAMED_POINTS = [
  ...GREEN,
  'beach',
  'aerodrome',
  'station',
  'hospital',
  'stadium',
  'university',
]

/** Kinds of roads from narrow to wide: the first zoom, and the width of the carriageway. */
const ROADS: [name: 'minor' | 'major' | 'highway', kind: string, minzoom: number, width: Width][] =
  [
    ['minor', 'minor_road', 11, widths([11, 0.3], [13, 1.4], [15, 5], [18, 20])],
    ['major', 'major_road', 6, widths([6, 0.3], [10, 1], [13, 3], [15, 8], [18, 28])],
    ['highway', 'highway', 4, widths([4, 0.4], [10, 1.6], [13, 4], [15, 9], [18, 30])],
  ]

/**
 * Streets, houses, parks and water of the Protomaps basemap, version 4, in quiet colors: the fleet has to
 * stand out from them. They are above the map of the world, which is all that is seen beyond the tiles.
 * Countries are named there.
 * The layers of `@protomaps/basemaps` were tried in their place: 38 KB instead of 6, and their labels
 * need its fonts and sprites, some 30 MB for all scripts.
 */
export function streetLayers({ streets, ...base }: Palette): LayerSpecification[] {
  const fill = (id: string, layer: string, color: string, filter?: Filter, minzoom = 0) => ({
    ...from(id, layer, minzoom, filter),
    type: 'fill' as const,
    paint: { 'fill-color': color },
  })
  const line = (
    id: string,
    layer: string,
    color: string,
    [filter, minzoom, width]: [Filter, number, Width],
    more: object = {},
  ) => ({
    ...from(id, layer, minzoom, filter),
    type: 'line' as const,
    layout: { 'line-cap': 'round' as const, 'line-join': 'round' as const },
    paint: { 'line-color': color, 'line-width': byZoom(width), ...more },
  })
  return [
    fill('earth', 'earth', base.land, IS_AREA),
    fill('green', 'landuse', streets.green, isOf(GREEN), 6),
    fill('sites', 'landuse', streets.site, isOf(SITES), 10),
    fill('sand', 'landuse', streets.sand, isOf(['beach', 'sand']), 10),
    fill('sea', 'water', base.water, IS_AREA),
    line('rivers', 'water', base.water, [isOf(['river', 'canal', 'stream']), 9, RIVER]),
    fill('houses', 'buildings', streets.house, undefined, 12),
    line('rails', 'roads', streets.rail, [isOf(['rail']), 11, RAIL]),
    line('paths', 'roads', streets.casing, [isOf(['path', 'other']), 14, PATH], {
      'line-dasharray': [2, 2],
    }),
    ...ROADS.map(([name, kind, minzoom, width]) =>
      line(`${name}-edges`, 'roads', streets.casing, [
        isOf([kind]),
        Math.max(minzoom, 9),
        width.map(([zoom, pixels]) => [zoom, pixels * 1.15 + 1.2]),
      ]),
    ),
    ...ROADS.map(([name, kind, minzoom, width]) =>
      line(name, 'roads', streets[name], [isOf([kind]), minzoom, width]),
    ),
    line('borders', 'boundaries', base.border, [isOf(['country', 'region']), 4, BORDER], {
      'line-dasharray': [3, 2],
    }),
    ...labels(base, streets),
  ]
}

const IS_AREA: Filter = ['in', ['geometry-type'], ['literal', ['Polygon', 'MultiPolygon']]]
const IS_POINT: Filter = ['in', ['geometry-type'], ['literal', ['Point', 'MultiPoint']]]
const RIVER = widths([9, 0.6], [14, 3], [18, 12])
const RAIL = widths([11, 0.5], [18, 3])
const PATH = widths([14, 0.6], [18, 2])
const BORDER = widths([4, 0.6], [12, 1.6])

function labels(
  { labelHalo, label, water }: Omit<Palette, 'streets'>,
  { green, greenLabel, waterLabel, streetLabel }: Palette['streets'],
): LayerSpecification[] {
  const text = (
    id: string,
    layer: string,
    [filter, minzoom, size]: [Filter, number, Width],
    [color, halo]: [string, string],
    layout: object = {},
  ) => ({
    ...from(id, layer, minzoom, ['all', ['has', 'name'], filter]),
    type: 'symbol' as const,
    layout: {
      'text-field': ['coalesce', ['get', 'name:en'], ['get', 'name']] as ExpressionSpecification,
      'text-font': MAP_FONT,
      'text-size': byZoom(size),
      'text-max-width': 8,
      'symbol-sort-key': ['coalesce', ['get', 'min_zoom'], 15] as ExpressionSpecification,
      ...layout,
    },
    paint: { 'text-color': color, 'text-halo-color': halo, 'text-halo-width': 1.3 },
  })
  const land: [string, string] = [label, labelHalo]
  const along = { 'symbol-placement': 'line', 'symbol-spacing': 300 }
  const isMinor = isOf(['minor_road'])
  const isMajor = isOf(['major_road', 'highway'])
  const isPoint: Filter = ['all', isOf(NAMED_POINTS), IS_DUE]
  return [
    text('waters', 'water', [IS_POINT, 8, SMALL], [waterLabel, water]),
    text('minor-names', 'roads', [isMinor, 15, SMALL], [streetLabel, labelHalo], along),
    text('major-names', 'roads', [isMajor, 13, SMALL], [streetLabel, labelHalo], along),
    text('points', 'pois', [isPoint, 13, SMALL], [greenLabel, green]),
    text('quarters', 'places', [isOf(['neighbourhood', 'macrohood']), 12, QUARTER], land),
    text('regions', 'places', [isOf(['region']), 5, SMALL], land),
    // Nearer, the quarters have names.
    { ...text('towns', 'places', [isOf(['locality']), 5, TOWN], land), maxzoom: 14 },
  ]
}

const SMALL = widths([10, 10.5], [18, 13])
const QUARTER = widths([12, 10.5], [16, 14])
const TOWN = widths([5, 10.5], [14, 17])
const IS_DUE: Filter = ['<=', ['coalesce', ['get', 'min_zoom'], 0], ['zoom']]

function from(id: string, layer: string, minzoom: number, filter?: Filter) {
  return {
    id: `street-${id}`,
    source: TILES,
    'source-layer': layer,
    minzoom,
    ...(filter && { filter }),
  }
}

function isOf(kinds: string[]): Filter {
  return ['in', ['get', 'kind'], ['literal', kinds]]
}

function widths(...stops: Width): Width {
  return stops
}

function byZoom(stops: Width): ExpressionSpecification {
  return ['interpolate', ['exponential', 1.5], ['zoom'], ...stops.flat()] as ExpressionSpecification
}
