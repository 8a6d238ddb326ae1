import type { Map as MapLibre } from 'maplibre-gl'
import {
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawLineStringMode,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
} from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import type { Palette } from '../base/palette.ts'
import { circleOf, geometriesOf, ringOf, rounded, type Shape } from './shapes.ts'

type Kind = Shape['kind']
type Hex = `#${string}`

const MODES = { geofence: 'polygon', route: 'linestring', site: 'circle' } as const

export type Drawing = {
  /** Shows a shape from elsewhere, such as typed coordinates. */
  set(shape: Shape): void
  /** Whether the next clicks draw a new shape or edit the existing one. */
  setDrawing(drawing: boolean): void
  stop(): void
}

/**
 * Draws and edits one place on a map. Every change ends in `onShape`. A new ring or circle replaces the
 * old one; a new line of a route is added to the others.
 */
export function startDrawing(
  map: MapLibre,
  kind: Kind,
  palette: Palette,
  onShape: (shape: Shape) => void,
  onDrawn: () => void,
): Drawing {
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: 7 }),
    modes: [mode(kind, palette), selectMode(kind, palette)],
  })
  draw.start()
  draw.setMode('select')

  const features = () => featuresOf(draw, kind)
  /** The state that the map and the drawing tool share. Only differences are passed on. */
  let known = ''
  let setting = false
  function tell(): void {
    const shape = shapeOf(kind, features())
    const written = JSON.stringify(shape.value)
    if (setting || written === known) return
    known = written
    onShape(shape)
  }

  draw.on('finish', (id, { action }) => {
    if (action === 'draw' && kind !== 'route') {
      draw.removeFeatures(features().flatMap((each) => (each.id === id ? [] : [each.id!])))
    }
    tell()
    if (action === 'draw') onDrawn()
  })
  // A right click removed a vertex, or the Delete key removed a feature.
  draw.on('change', (_, type) => {
    if (type === 'delete' && draw.getMode() === 'select') tell()
  })

  return {
    set(shape) {
      const mode = draw.getMode()
      setting = true
      draw.clear()
      const added = draw.addFeatures(
        geometriesOf(shape).map((geometry) => ({
          type: 'Feature',
          properties: { mode: MODES[kind] },
          geometry,
        })),
      )
      const first = added.find(({ valid }) => valid)?.id
      if (mode === 'select' && first !== undefined) draw.selectFeature(first)
      setting = false
      // Compare the tool's own numbers, because it rounds coordinates.
      known = JSON.stringify(shapeOf(kind, features()).value)
    },
    setDrawing(drawing) {
      draw.setMode(drawing ? MODES[kind] : 'select')
      const first = features()[0]?.id
      if (!drawing && first !== undefined) draw.selectFeature(first)
    },
    stop() {
      if (map.style !== undefined) draw.stop()
    },
  }
}

/** The parts of the place, without the handles of the tool. */
function featuresOf(draw: TerraDraw, kind: Kind) {
  return draw.getSnapshot().filter(({ properties }) => properties.mode === MODES[kind])
}

function shapeOf(kind: Kind, features: ReturnType<typeof featuresOf>): Shape {
  const geometries = features.map(({ geometry }) => geometry)
  const polygon = geometries.find((geometry) => geometry.type === 'Polygon')
  switch (kind) {
    case 'geofence':
      return { kind, value: polygon === undefined ? [] : ringOf(polygon) }
    case 'route': {
      const lines = geometries.filter((geometry) => geometry.type === 'LineString')
      return { kind, value: lines.map(({ coordinates }) => coordinates.map(rounded)) }
    }
    case 'site':
      return { kind, value: polygon === undefined ? null : circleOf(polygon) }
  }
}

function mode(kind: Kind, palette: Palette) {
  const place = palette.place as Hex
  const fill = { fillColor: place, fillOpacity: 0.18, outlineColor: place, outlineWidth: 3 }
  switch (kind) {
    case 'geofence':
      return new TerraDrawPolygonMode({ styles: fill })
    case 'route':
      return new TerraDrawLineStringMode({ styles: { lineStringColor: place, lineStringWidth: 4 } })
    case 'site':
      return new TerraDrawCircleMode({ styles: fill })
  }
}

function selectMode(kind: Kind, palette: Palette) {
  const selected = palette.selected as Hex
  const vertices = { draggable: true, midpoints: true, deletable: true }
  return new TerraDrawSelectMode({
    pointerDistance: 20,
    flags: {
      polygon: { feature: { draggable: true, coordinates: vertices } },
      linestring: { feature: { draggable: true, coordinates: vertices } },
      circle: { feature: { draggable: true, coordinates: { resizable: 'center-fixed' } } },
    },
    styles: {
      selectedPolygonColor: selected,
      selectedPolygonFillOpacity: 0.18,
      selectedPolygonOutlineColor: selected,
      selectedPolygonOutlineWidth: 3,
      selectedLineStringColor: selected,
      selectedLineStringWidth: 4,
      selectionPointColor: selected,
      // A circle is a polygon of 64 corners. Show them as an edge, not as handles.
      selectionPointWidth: kind === 'site' ? 2 : 6,
      selectionPointOutlineColor: palette.halo as Hex,
      midPointColor: palette.halo as Hex,
      midPointOutlineColor: selected,
      midPointOutlineWidth: 2,
      midPointWidth: 5,
    },
  })
}
