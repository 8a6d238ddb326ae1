import type { FeatureCollection, Point } from 'geojson'
import type { LayerSpecification, Map as MapLibre } from 'maplibre-gl'
import { continued } from '../map/base/antimeridian.ts'
import type { BaseMap } from '../map/base/base-style.ts'
import { createMap, paintBase } from '../map/base/create-map.ts'
import { PALETTES, type Palette } from '../map/base/palette.ts'
import { setLayer, setShapes } from '../map/base/shapes-on-map.ts'
import { MAP_FONT } from '../map/base/street-layers.ts'
import { boundsOf } from '../map/track/track.ts'

/*
 * The map of a link's page, which the server's page imports when it has shown its list. It is built with the console
 * and has nothing else of it.
 */

type LonLat = [longitude: number, latitude: number]

/** A vehicle as the link shows it. `at`: null without a position. */
export type LinkedVehicle = {
  name: string
  at: LonLat | null
  /** Degrees clockwise from north. */
  angle: number | null
  motion: keyof Palette['motion']
  /** Oldest first. */
  way: LonLat[]
}

export type LinkMap = {
  show(vehicles: readonly LinkedVehicle[]): void
  /** Moves to a vehicle. */
  focus(vehicle: LinkedVehicle): void
}

type Settings = {
  container: HTMLElement
  /** For screen readers. */
  name: string
  unit: 'km' | 'mi'
  base: BaseMap
}

const WAYS = 'ways'
const VEHICLES = 'vehicles'
const CLOSE_ZOOM = 14
const PADDING = 56

const dark = matchMedia('(prefers-color-scheme: dark)')
const theme = () => (dark.matches ? 'dark' : 'light')

/** Throws where there is no WebGL. */
export function openLinkMap({ container, name, unit, base }: Settings): LinkMap {
  const map = createMap({ container, name, unit, server: { map: base }, theme: theme() })
  const loaded = map.once('load')
  let shown: readonly LinkedVehicle[] = []
  let isFitted = false
  let isMoved = false
  map.on('dragstart', () => {
    isMoved = true
  })
  map.on('zoomstart', ({ originalEvent }) => {
    isMoved ||= originalEvent !== undefined
  })
  dark.addEventListener('change', () => {
    paintBase(map, base, PALETTES[theme()])
    for (const layer of layers(PALETTES[theme()])) setLayer(map, layer)
  })

  async function draw(): Promise<void> {
    await loaded
    setShapes(map, WAYS, waysOf(shown))
    setShapes(map, VEHICLES, marksOf(shown))
    for (const layer of layers(PALETTES[theme()])) setLayer(map, layer)
    if (!isFitted) isFitted = fitAll(map, shown)
    else if (!isMoved) follow(map, shown)
  }

  return {
    show(vehicles) {
      shown = vehicles
      void draw()
    },
    focus({ at }) {
      if (at === null) return
      isMoved = true
      map.easeTo({ center: at, zoom: Math.max(map.getZoom(), CLOSE_ZOOM) })
    },
  }
}

/** Whether there was something to fit. */
function fitAll(map: MapLibre, vehicles: readonly LinkedVehicle[]): boolean {
  const around = boundsOf(vehicles.flatMap(({ at, way }) => (at === null ? way : [...way, at])))
  if (around === undefined) return false
  map.fitBounds(around, { padding: PADDING, maxZoom: CLOSE_ZOOM, animate: false })
  return true
}

/** Keeps the only vehicle in the picture, until the viewer moves the map. */
function follow(map: MapLibre, vehicles: readonly LinkedVehicle[]): void {
  const [only] = vehicles
  if (vehicles.length !== 1 || only?.at == null) return
  const { x, y } = map.project(only.at)
  const { clientWidth, clientHeight } = map.getContainer()
  const isInside =
    x > PADDING && y > PADDING && x < clientWidth - PADDING && y < clientHeight - PADDING
  if (!isInside) map.easeTo({ center: only.at })
}

function waysOf(vehicles: readonly LinkedVehicle[]): FeatureCollection {
  const lines = vehicles.map(({ way }) => way).filter((way) => way.length > 1)
  return {
    type: 'FeatureCollection',
    features: lines.map((way) => ({
      type: 'Feature',
      properties: {},
      geometry: { type: 'LineString', coordinates: continued(way) },
    })),
  }
}

function marksOf(vehicles: readonly LinkedVehicle[]): FeatureCollection<Point> {
  return {
    type: 'FeatureCollection',
    features: vehicles.flatMap(({ name, at, angle, motion }) =>
      at === null
        ? []
        : [
            {
              type: 'Feature' as const,
              properties: { name, angle: angle ?? 0, motion },
              geometry: { type: 'Point' as const, coordinates: at },
            },
          ],
    ),
  }
}

/** A disc in the color of the motion, with an arrow if it moves, and the name below. */
function layers({ motion, halo, after, label, labelHalo }: Palette): LayerSpecification[] {
  const { moving, idle, stopped, no_signal, unknown } = motion
  return [
    {
      id: WAYS,
      type: 'line',
      source: WAYS,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-width': 4, 'line-opacity': 0.7, 'line-color': after },
    },
    {
      id: VEHICLES,
      type: 'circle',
      source: VEHICLES,
      paint: {
        'circle-radius': 12,
        'circle-stroke-width': 2.5,
        'circle-stroke-color': halo,
        'circle-color': [
          'match',
          ['get', 'motion'],
          ...['moving', moving, 'idle', idle, 'stopped', stopped, 'no_signal', no_signal],
          unknown,
        ] as unknown as string,
      },
    },
    {
      id: 'vehicle-arrows',
      type: 'symbol',
      source: VEHICLES,
      filter: ['==', ['get', 'motion'], 'moving'],
      layout: {
        'text-field': '▲',
        'text-font': MAP_FONT,
        'text-size': 13,
        'text-rotate': ['get', 'angle'],
        'text-allow-overlap': true,
        'text-ignore-placement': true,
      },
      paint: { 'text-color': halo },
    },
    {
      id: 'vehicle-names',
      type: 'symbol',
      source: VEHICLES,
      layout: {
        'text-field': ['get', 'name'],
        'text-font': MAP_FONT,
        'text-size': 13,
        'text-offset': [0, 1.4],
        'text-anchor': 'top',
      },
      paint: { 'text-color': label, 'text-halo-color': labelHalo, 'text-halo-width': 1.5 },
    },
  ]
}
