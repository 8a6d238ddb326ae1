import type { GeoJSONSource } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'react'
import type { OrganizationSummary, Server } from '../../api/types.ts'
import { continued, flattened } from '../base/antimeridian.ts'
import { fit } from '../base/camera.ts'
import { PALETTES } from '../base/palette.ts'
import { useTheme } from '../base/theme.ts'
import { useMap } from '../base/use-map.ts'
import { useFleetSpots } from '../layer/use-fleet-spots.ts'
import { boundsOf } from '../track/track.ts'
import { CoordinateFields } from './CoordinateFields.tsx'
import { type Drawing, startDrawing } from './drawing.ts'
import {
  type Circle,
  geometriesOf,
  type Lines,
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

export type PlaceEditorProps = { server: Server; organization?: OrganizationSummary } & (
  | Of<'geofence', Ring, Ring>
  | Of<'route', Lines, Lines>
  | Of<'site', Circle | null, Circle>
)

const NAMES = { geofence: 'geofence', route: 'route', site: 'site' } as const

const HINTS = {
  geofence:
    'Click on the map for each corner, and on the first one again to end. Then drag corners, or right-click one to remove it.',
  route:
    'Click on the map for each point, and on the last one again to end. Draw again for one more line.',
  site: 'Click on the map where the middle is, then where the edge is. Then drag it, or its edge.',
}

/** Draws a place on a map or takes its typed coordinates, both at any time. */
export function PlaceEditor(props: PlaceEditorProps) {
  const { kind, server, organization } = props
  const container = useRef<HTMLDivElement>(null)
  const palette = PALETTES[useTheme()]
  const { map, failed } = useMap(
    container,
    `Map of the ${NAMES[kind]}`,
    server,
    organization?.distance_unit,
  )
  const shape = { kind, value: props.value } as Shape
  const written = JSON.stringify(shape.value)
  const [drawing, setDrawing] = useState<Drawing>()
  const [draws, setDraws] = useState(() => geometriesOf(shape).length === 0)
  const latest = useRef(props)
  latest.current = props
  /** The last drawing, which the map shows already. */
  const drawn = useRef('')

  function change(next: Shape): void {
    ;(latest.current.onChange as (value: Shape['value']) => void)(next.value)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it always calls the latest of what it is given
  useEffect(() => {
    if (map === undefined) return
    const started = startDrawing(
      map,
      kind,
      palette,
      (next) => {
        drawn.current = JSON.stringify(next.value)
        change(next)
      },
      () => setDraws(false),
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

  const othersWritten = JSON.stringify(props.others)
  // biome-ignore lint/correctness/useExhaustiveDependencies: their text stands for them
  useEffect(() => {
    if (map === undefined) return
    drawOthers(map, othersOf(props), palette.label)
  }, [map, othersWritten, palette])

  const isPlaced = useRef(false)
  const fleet = useFleetSpots(organization?.id, props.others.length === 0 && written.length < 5)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as it is known where
  useEffect(() => {
    if (map === undefined || isPlaced.current) return
    const known = [positionsOf(shape), othersOf(props).flatMap(positionsOf), fleet]
    const around = boundsOf(continued(known.find(({ length }) => length > 0) ?? []))
    if (around === undefined) return
    isPlaced.current = true
    fit(map, around, 15)
  }, [map, othersWritten, fleet])

  return (
    <div className="placemap">
      <div className="placemap-map">
        <div ref={container} className="placemap-canvas" />
        {failed && (
          <p role="alert">
            The map needs WebGL 2, which this browser does not offer. Type the coordinates instead.
          </p>
        )}
        {!failed && (
          <div className="placemap-tools fleetmap-panel">
            <button type="button" aria-pressed={draws} onClick={() => setDraws(true)}>
              Draw
            </button>
            <button type="button" aria-pressed={!draws} onClick={() => setDraws(false)}>
              Edit
            </button>
            <button
              type="button"
              disabled={geometriesOf(shape).length === 0}
              onClick={() => {
                change(emptyOf(kind))
                setDraws(true)
              }}
            >
              Clear
            </button>
          </div>
        )}
      </div>
      {!failed && <p className="placemap-hint">{HINTS[kind]}</p>}
      <CoordinateFields shape={shape} onShape={change} />
    </div>
  )
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

function drawOthers(
  map: NonNullable<ReturnType<typeof useMap>['map']>,
  others: Shape[],
  colour: string,
): void {
  const data: GeoJSON.FeatureCollection = {
    type: 'FeatureCollection',
    features: others
      .flatMap(geometriesOf)
      .map((geometry) => ({ type: 'Feature', properties: {}, geometry: onFlatMap(geometry) })),
  }
  const source = map.getSource<GeoJSONSource>(OTHERS)
  if (source !== undefined) {
    source.setData(data)
    map.setPaintProperty(OTHERS, 'line-color', colour)
    return
  }
  map.addSource(OTHERS, { type: 'geojson', data })
  map.addLayer({
    id: OTHERS,
    type: 'line',
    source: OTHERS,
    paint: { 'line-color': colour, 'line-width': 1.5, 'line-dasharray': [3, 2] },
  })
}
