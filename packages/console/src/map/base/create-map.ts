import {
  AttributionControl,
  type GeoJSONSource,
  Map as MapLibre,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl'
import 'maplibre-gl/dist/maplibre-gl.css'
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url'
import type { OrganizationSummary } from '../../api/types.ts'
import { type BaseMap, baseStyle } from './base-style.ts'
import type { Camera } from './last-camera.ts'
import { PALETTES, type Palette } from './palette.ts'
import { setLayer } from './shapes-on-map.ts'
import { prefersStillness } from './stillness.ts'
import type { Theme } from './theme.ts'
import { openTilesFile } from './tiles-file.ts'
import { loadWorld } from './world.ts'

// A file of its own from this origin: the content security policy allows no other code.
setWorkerUrl(workerUrl)

export type MapSettings = {
  container: HTMLElement
  /** The map's name for screen readers. */
  name: string
  server: { map: BaseMap }
  theme: Theme
  unit: OrganizationSummary['distance_unit']
  /** Where the map opens, until it knows what it has to show. */
  camera?: Camera | undefined
  /** A picture: it takes no input. */
  isStill?: boolean
}

/** A map on a phone, or beside the facts about a vehicle. */
const SMALL_PX = 640

/** The inhabited world. */
const WORLD: Camera = { center: [10, 30], zoom: 1 }

/** Never turned nor tilted: what is drawn on it counts on that. Throws where there is no WebGL. */
export function createMap(settings: MapSettings): MapLibre {
  const { container, name, server, theme, unit, camera = WORLD, isStill = false } = settings
  openTilesFile(server.map.file_url)
  const map = new MapLibre({
    container,
    style: baseStyle(server.map, PALETTES[theme]),
    ...camera,
    maxZoom: 19,
    renderWorldCopies: false,
    interactive: !isStill,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    maxPitch: 0,
    attributionControl: false,
    fadeDuration: prefersStillness() ? 0 : 150,
    locale: { 'Map.Title': name },
  })
  if (!isStill) {
    map.touchZoomRotate.disableRotation()
    map.keyboard.disableRotation()
    map.addControl(new NavigationControl({ showCompass: false }), 'top-right')
  }
  map.addControl(
    new ScaleControl({ unit: unit === 'mi' ? 'imperial' : 'metric', maxWidth: 90 }),
    'bottom-right',
  )
  map.addControl(new AttributionControl({ compact: true }), 'bottom-right')
  // It is open at first, over much of a small map, until the map is moved.
  if (container.clientWidth < SMALL_PX) map.once('idle', () => foldAttribution(container))
  if (server.map.tiles_url === null) void drawWorld(map)
  showWhenBusy(map, container)
  return map
}

function foldAttribution(container: HTMLElement): void {
  const attribution = container.querySelector('.maplibregl-ctrl-attrib')
  attribution?.classList.remove('maplibregl-compact-show')
  attribution?.removeAttribute('open')
}

/** Marks the map as busy while it loads or moves, for assistive technology and for the tests that take pictures. */
function showWhenBusy(map: MapLibre, container: HTMLElement): void {
  const busy = () => container.setAttribute('aria-busy', 'true')
  busy()
  map.on('movestart', busy)
  map.on('dataloading', busy)
  map.on('idle', () => container.setAttribute('aria-busy', 'false'))
}

async function drawWorld(map: MapLibre): Promise<void> {
  const [world] = await Promise.all([loadWorld(), map.once('load')])
  map.getSource<GeoJSONSource>('world')?.setData(world)
}

/** Gives the base map the colors of another palette. The map is busy until they are drawn. */
export function paintBase(map: MapLibre, settings: BaseMap, palette: Palette): void {
  map.getContainer().setAttribute('aria-busy', 'true')
  for (const layer of baseStyle(settings, palette).layers) setLayer(map, layer)
}
