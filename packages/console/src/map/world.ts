import type { Feature, FeatureCollection, MultiLineString, MultiPolygon, Polygon } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import url from 'world-atlas/countries-50m.json?url'
import { cutLines, flattened } from './antimeridian.ts'
import { labelPoint } from './label-point.ts'

type Countries = { countries: GeometryCollection<{ name: string }>; land: GeometryCollection }

export type World = {
  land: FeatureCollection
  borders: Feature<MultiLineString>
  names: FeatureCollection
}

let world: Promise<World> | undefined

/** Land, borders and names of countries: Natural Earth’s, which ship with the console. */
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
    land: {
      type: 'FeatureCollection',
      features: feature(topology, land).features.map((part) => ({
        ...part,
        geometry: flattened(part.geometry as Polygon | MultiPolygon),
      })),
    },
    borders: {
      type: 'Feature',
      properties: {},
      geometry: cutLines(mesh(topology, countries, (one, other) => one !== other)),
    },
    names: {
      type: 'FeatureCollection',
      features: features.map(({ properties, geometry }) => {
        const { at, area } = labelPoint(flattened(geometry))
        return {
          type: 'Feature',
          properties: { name: properties.name, area },
          geometry: { type: 'Point', coordinates: at },
        }
      }),
    },
  }
}
