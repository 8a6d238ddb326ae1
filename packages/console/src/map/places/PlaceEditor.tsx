import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'react'
import { useObjects } from '../../api/queries.ts'
import type { FleetObject, OrganizationSummary, Server } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { continued, flattened } from '../base/antimeridian.ts'
import { fit } from '../base/camera.ts'
import { NoWebGl } from '../base/NoWebGl.tsx'
import { PALETTES } from '../base/palette.ts'
import { setLayer, setShapes, shape as shapeOf } from '../base/shapes-on-map.ts'
import { useTheme } from '../base/theme.ts'
import { useMap } from '../base/use-map.ts'
import { boundsOf } from '../track/track.ts'
import { CoordinateFields } from './CoordinateFields.tsx'
import { type Drawing, startDrawing } from './drawing.ts'
import {
  type Circle,
  geometriesOf,
  type Lines,
  type LonLat,
  positionsOf,
  type Ring,
  type Shape,
} from './shapes.ts'
import '../LiveMap.css'
import './PlaceEditor.css'

type Of<Kind extends Shape['kind'], Value, Other> = {
  kind: Kind
  value: Value
  /** Other places of the kind, drawn for orientation. */
  others: Other[]
  onChange(value: Value): void
}

export type PlaceEditorProps = { server: Server; organization: OrganizationSummary } & (
  | Of<'geofence', Ring, Ring>
  | Of<'route', Lines, Lines>
  | Of<'site', Circle | null, Circle>
)

const NAMES = {
  geofence: t('Map of the geofence'),
  route: t('Map of the route'),
  site: t('Map of the site'),
}

const HINTS = {
  geofence: t(
    'Click the map to add corners. Click the first corner again to finish. Then drag corners to move them, or right-click a corner to remove it.',
  ),
  route: t(
    'Click the map to add points. Click the last point again to finish. Draw again to add another line.',
  ),
  site: t(
    'Click the map to set the center, then click to set the edge. Then drag the circle or its edge.',
  ),
}

/** Draws a place on a map or takes its typed coordinates, both at any time. */
export function PlaceEditor(props: PlaceEditorProps) {
  const { kind, server, organization } = props
  const container = useRef<HTMLDivElement>(null)
  const { map, failed } = useMap(container, NAMES[kind], server, organization.distance_unit)
  const shape = { kind, value: props.value } as Shape
  const [draws, setDraws] = useState(() => geometriesOf(shape).length === 0)
  const latest = useRef(props)
  latest.current = props

  function change(next: Shape): void {
    ;(latest.current.onChange as (value: Shape['value']) => void)(next.value)
  }

  useDrawing(map, shape, draws, change, () => setDraws(false))
  useSurroundings(map, props, shape)

  return (
    <div className="placemap">
      <div className="placemap-map">
        <div ref={container} className="placemap-canvas" />
        {failed && <NoWebGl instead={t('Type the coordinates instead.')} />}
        {!failed && (
          <DrawingTools
            draws={draws}
            onDraws={setDraws}
            onClear={geometriesOf(shape).length === 0 ? undefined : () => change(emptyOf(kind))}
          />
        )}
      </div>
      {!failed && <p className="placemap-hint">{HINTS[kind]}</p>}
      <CoordinateFields shape={shape} onShape={change} />
    </div>
  )
}

type DrawingToolsProps = {
  draws: boolean
  onDraws: (draws: boolean) => void
  /** Undefined: nothing is drawn. */
  onClear: (() => void) | undefined
}

function DrawingTools({ draws, onDraws, onClear }: DrawingToolsProps) {
  return (
    <div className="placemap-tools fleetmap-panel">
      <button type="button" aria-pressed={draws} onClick={() => onDraws(true)}>
        {t('Draw')}
      </button>
      <button type="button" aria-pressed={!draws} onClick={() => onDraws(false)}>
        {t('Edit')}
      </button>
      <button type="button" disabled={onClear === undefined} onClick={onClear}>
        {t('Clear')}
      </button>
    </div>
  )
}

/** Draws the shape on the map, and reports what is drawn there. `draws`: the next clicks draw a new shape. */
function useDrawing(
  map: MapLibre | undefined,
  shape: Shape,
  draws: boolean,
  onShape: (shape: Shape) => void,
  onDrawn: () => void,
): void {
  const { kind } = shape
  const palette = PALETTES[useTheme()]
  const written = JSON.stringify(shape.value)
  const [drawing, setDrawing] = useState<Drawing>()
  /** The last drawing, which the map shows already. */
  const drawn = useRef('')

  // biome-ignore lint/correctness/useExhaustiveDependencies: what it calls calls the latest of what the editor is given
  useEffect(() => {
    if (map === undefined) return
    const started = startDrawing(
      map,
      kind,
      palette,
      (next) => {
        drawn.current = JSON.stringify(next.value)
        onShape(next)
      },
      onDrawn,
    )
    drawn.current = ''
    setDrawing(started)
    return () => {
      setDrawing(undefined)
      started.stop()
    }
  }, [map, kind, palette])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is what it reports
  useEffect(() => {
    if (drawing === undefined || written === drawn.current) return
    drawn.current = written
    drawing.set(shape)
  }, [drawing, written])

  useEffect(() => drawing?.setDrawing(draws), [drawing, draws])
}

/** Draws other places, and fits into the map what is known first: the place, the others or the fleet. */
function useSurroundings(map: MapLibre | undefined, props: PlaceEditorProps, shape: Shape): void {
  const palette = PALETTES[useTheme()]
  const othersWritten = JSON.stringify(props.others)
  // biome-ignore lint/correctness/useExhaustiveDependencies: their text stands for them
  useEffect(() => {
    if (map === undefined) return
    drawOthers(map, othersOf(props), palette.label)
  }, [map, othersWritten, palette])

  const isPlaced = useRef(false)
  const isAlone = props.others.length === 0 && JSON.stringify(shape.value).length < 5
  const fleet = useObjects(props.organization.id, isAlone)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as it is known where
  useEffect(() => {
    if (map === undefined || isPlaced.current) return
    const known = [
      positionsOf(shape),
      othersOf(props).flatMap(positionsOf),
      (fleet.data?.items ?? []).flatMap(spotOf),
    ]
    const around = boundsOf(continued(known.find(({ length }) => length > 0) ?? []))
    if (around === undefined) return
    isPlaced.current = true
    fit(map, around, 15)
  }, [map, othersWritten, fleet.data])
}

function spotOf({ longitude, latitude }: FleetObject): LonLat[] {
  return longitude === null || latitude === null ? [] : [[longitude, latitude]]
}

function emptyOf(kind: Shape['kind']): Shape {
  return kind === 'site' ? { kind, value: null } : { kind, value: [] }
}

function othersOf({ kind, others }: PlaceEditorProps): Shape[] {
  return others.map((value) => ({ kind, value }) as Shape)
}

/** The drawing tool takes no longitudes beyond 180, but the map does. */
function onFlatMap(geometry: GeoJSON.Polygon | GeoJSON.LineString): GeoJSON.Geometry {
  return geometry.type === 'Polygon'
    ? flattened(geometry)
    : { ...geometry, coordinates: continued(geometry.coordinates) }
}

const OTHERS = 'others'

function drawOthers(map: MapLibre, others: Shape[], color: string): void {
  const features = others.flatMap(geometriesOf).map((each) => shapeOf(onFlatMap(each)))
  setShapes(map, OTHERS, { type: 'FeatureCollection', features })
  setLayer(map, {
    id: OTHERS,
    type: 'line',
    source: OTHERS,
    paint: { 'line-color': color, 'line-width': 1.5, 'line-dasharray': [3, 2] },
  })
}
