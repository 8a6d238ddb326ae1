import type { Feature, FeatureCollection, Geometry, MultiPolygon, Polygon } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import url from 'world-atlas/countries-50m.json?url'
import { cutLines, flattened } from './antimeridian.ts'
import { graticule } from './graticule.ts'
import { labelPoint } from './label-point.ts'

type Countries = { countries: GeometryCollection<{ name: string }>; land: GeometryCollection }

/** Each feature carries its kind. All features are one source, so that tiles are cut once. */
export type World = FeatureCollection<
  Geometry,
  { kind: 'land' | 'line' | 'graticule' } | { kind: 'name'; name: string; area: number }
>

let world: Promise<World> | undefined

/** Land, borders and country names: Natural Earth's, shipped with the console. */
export function loadWorld(): Promise<World> {
  world ??= fetchWorld().catch((error: unknown) => {
    world = undefined
    throw error
  })
  return world
}

async function fetchWorld(): Promise<World> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The base map could not be loaded (${response.status}).`)
  const topology = (await response.json()) as Topology<Countries>
  const { countries, land } = topology.objects
  const features = feature(topology, countries).features as Feature<
    Polygon | MultiPolygon,
    { name: string }
  >[]
  return {
    type: 'FeatureCollection',
    features: [
      ...feature(topology, land).features.map(({ geometry }) => ({
        type: 'Feature' as const,
        properties: { kind: 'land' as const },
        geometry: flattened(geometry as Polygon | MultiPolygon),
      })),
      {
        type: 'Feature',
        properties: { kind: 'line' },
        geometry: cutLines(mesh(topology, countries)),
      },
      { type: 'Feature', properties: { kind: 'graticule' }, geometry: graticule(10) },
      ...features.map(({ properties, geometry }) => {
        const { at, area } = labelPoint(flattened(geometry))
        return {
          type: 'Feature' as const,
          properties: { kind: 'name' as const, name: properties.name, area },
          geometry: { type: 'Point' as const, coordinates: at },
        }
      }),
    ],
  }
}
