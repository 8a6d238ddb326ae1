import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { city, type MapFeature } from './city.ts'
import { HIGH, LOW } from './shore.ts'

/** A tile and its vector tile (MVT). */
export type Tile = { z: number; x: number; y: number; data: Uint8Array }

/** Farther out the world's map shows more. Nearer, a map draws the tiles of the last zoom larger. */
export const MIN_ZOOM = 8
export const MAX_ZOOM = 13

/** Units of a tile: at zoom 13 one is 0.9 m. */
const EXTENT = 4096

/** The tiles of the demo's city. */
export function cityTiles(): Tile[] {
  const layers = Object.entries(city())
  const tiles: Tile[] = []
  for (let z = MIN_ZOOM; z <= MAX_ZOOM; z += 1) {
    const cut = layers.map(([name, features]) => [name, cutFor(z, features)] as const)
    const [west, south] = tileAt(LOW, z)
    const [east, north] = tileAt(HIGH, z)
    for (let x = west; x <= east; x += 1) {
      for (let y = north; y <= south; y += 1) tiles.push({ z, x, y, data: tileOf(cut, z, x, y) })
    }
  }
  return tiles
}

function cutFor(zoom: number, features: MapFeature[]): GeoJSONVT {
  const shown = features.filter(({ properties }) => properties.min_zoom <= zoom)
  const collection = { type: 'FeatureCollection' as const, features: shown }
  return new GeoJSONVT(collection, { maxZoom: zoom, extent: EXTENT, buffer: 64 })
}

function tileOf(
  layers: (readonly [string, GeoJSONVT])[],
  z: number,
  x: number,
  y: number,
): Uint8Array {
  const cut = layers.map(([name, tiles]) => [name, tiles.getTile(z, x, y)] as const)
  const filled = cut.filter((each): each is [string, GeoJSONVTTile] => !isEmpty(each[1]))
  return fromGeojsonVt(Object.fromEntries(filled), { version: 2, extent: EXTENT })
}

function isEmpty(tile: GeoJSONVTTile | null): boolean {
  return tile === null || tile.features.length === 0
}

function tileAt([longitude, latitude]: readonly [number, number], z: number): [number, number] {
  const radians = (latitude * Math.PI) / 180
  const across = 2 ** z
  return [
    Math.floor(((longitude + 180) / 360) * across),
    Math.floor(((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * across),
  ]
}
