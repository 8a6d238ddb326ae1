import type { FeatureCollection } from 'geojson'
import {
  type ExpressionSpecification,
  type LayerSpecification,
  type Map as MapLibre,
  Marker,
} from 'maplibre-gl'
import { useEffect, useMemo, useRef } from 'react'
import type { Track } from '../../api/types.ts'
import type { DayRecord } from '../../records/day-records.ts'
import { fit } from '../base/camera.ts'
import { PALETTES, type Palette } from '../base/palette.ts'
import { removeShapes, setLayer, setShapes } from '../base/shapes-on-map.ts'
import { MAP_FONT } from '../base/street-layers.ts'
import { useTheme } from '../base/theme.ts'
import { type Played, played } from './played.ts'
import { chosenPlace, pathOf, stopFeatures, tripFeatures } from './record-shapes.ts'
import { type AtMoment, boundsOf, coloredWay, lastBefore, type TrackPoint } from './track.ts'

const WAY = 'track-way'
const ALONE = 'track-alone'
const TRIPS = 'track-trips'
const STOPS = 'track-stops'
const CHOSEN = 'track-chosen'
/** Opacity of what is not chosen. */
const FADED = 0.25
/** The zoom for one place. */
const PLACE_ZOOM = 16

export type TrackLayers = {
  track: Track
  records: readonly DayRecord[]
  /** The key of the record that is shown. */
  chosen: string | null
  onChoose(key: string): void
  /** The upper bounds of the speed classes. */
  bounds: number[]
  /** The object at the selected moment. */
  moment: AtMoment | undefined
}

/** Draws a track, its stops, the chosen record, and the object at the selected moment. */
export function useTrackLayers(map: MapLibre | undefined, layers: TrackLayers): void {
  const { track, records, chosen, onChoose, bounds, moment } = layers
  const palette = PALETTES[useTheme()]
  const record = records.find(({ key }) => key === chosen)
  const path = useMemo(
    () => (record === undefined ? [] : pathOf(record, track.points)),
    [record, track],
  )
  useTrackInView(map, track, chosen, path)
  useChoosing(map, onChoose)
  useMarker(map, moment)

  const { points } = track
  const range = useMemo(() => played(points, record), [points, record])
  const isAlone = range.around !== undefined
  const way = useMemo(() => coloredWay(points, bounds), [points, bounds])
  const alone = useMemo(
    () => coloredWay(isAlone ? pointsIn(points, range) : [], bounds),
    [points, range, isAlone, bounds],
  )
  const trips = useMemo(() => tripFeatures(records, points), [records, points])
  const stops = useMemo(() => stopFeatures(records, [range.first, range.last]), [records, range])
  const place = useMemo(() => chosenPlace(path), [path])
  useShapes(map, WAY, way)
  useShapes(map, ALONE, alone)
  useShapes(map, TRIPS, trips)
  useShapes(map, STOPS, stops)
  useShapes(map, CHOSEN, place)
  useEffect(() => {
    if (map === undefined) return
    for (const layer of lineLayers(palette, isAlone)) setLayer(map, layer)
    for (const layer of stopLayers(palette)) setLayer(map, layer)
  }, [map, palette, isAlone])
  useEffect(() => {
    if (map !== undefined) return () => removeShapes(map, [WAY, ALONE, TRIPS, STOPS, CHOSEN])
  }, [map])
}

function useShapes(map: MapLibre | undefined, id: string, data: FeatureCollection): void {
  useEffect(() => {
    if (map !== undefined) setShapes(map, id, data)
  }, [map, id, data])
}

/** Fits the chosen record into the map, or the whole track without one. */
function useTrackInView(
  map: MapLibre | undefined,
  track: Track,
  chosen: string | null,
  path: [number, number][],
): void {
  const latest = useRef(path)
  latest.current = path
  const isKnown = path.length > 0
  // Today's track grows, which does not move the map again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is fitted when the map opens
  useEffect(() => {
    if (map === undefined || latest.current.length > 0) return
    const around = boundsOf(track.points.map(([, longitude, latitude]) => [longitude, latitude]))
    if (around !== undefined) fit(map, around, 15)
  }, [map])
  // A record that continues moves the map only when it is chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is fitted when it is chosen
  useEffect(() => {
    const around = boundsOf(latest.current)
    if (map !== undefined && around !== undefined) fit(map, around, PLACE_ZOOM)
  }, [map, chosen, isKnown])
}

/** A click on a trip or a stop chooses it. */
function useChoosing(map: MapLibre | undefined, onChoose: TrackLayers['onChoose']): void {
  const latest = useRef(onChoose)
  latest.current = onChoose
  useEffect(() => {
    if (map === undefined) return
    const show = (cursor: string) => {
      map.getCanvas().style.cursor = cursor
    }
    const layers = [TRIPS, STOPS]
    const subscriptions = [
      map.on('click', layers, ({ features }) => latest.current(features![0]!.properties.key)),
      map.on('mouseenter', layers, () => show('pointer')),
      map.on('mouseleave', layers, () => show('')),
    ]
    return () => {
      for (const each of subscriptions) each.unsubscribe()
      show('')
    }
  }, [map])
}

/** Shows the object at a moment. */
function useMarker(map: MapLibre | undefined, moment: AtMoment | undefined): void {
  const marker = useRef<Marker>(undefined)
  useEffect(() => {
    if (map === undefined) return
    const element = document.createElement('div')
    element.className = 'fleetmap-marker'
    element.setAttribute('aria-hidden', 'true')
    const made = new Marker({ element, rotationAlignment: 'map' }).setLngLat([0, 0]).addTo(map)
    // The slider announces the place; the marker is not a button and needs no name.
    element.removeAttribute('aria-label')
    element.removeAttribute('role')
    element.removeAttribute('tabindex')
    marker.current = made
    return () => {
      made.remove()
      marker.current = undefined
    }
  }, [map])

  useEffect(() => {
    if (moment === undefined) return
    marker.current?.setLngLat(moment.at)
    marker.current?.setRotation(moment.point[4] ?? 0)
    marker.current
      ?.getElement()
      .classList.toggle('fleetmap-marker-directed', moment.point[4] !== null)
  }, [moment])
}

/** `isAlone`: one record is chosen, and the others fade. */
function lineLayers(palette: Palette, isAlone: boolean): LayerSpecification[] {
  const bySpeed = [
    'match',
    ['get', 'speed'],
    ...palette.speeds.flatMap((color, at) => [at, color]),
    palette.speeds[0],
  ] as unknown as ExpressionSpecification
  const layout = { 'line-cap': 'round', 'line-join': 'round' } as const
  const casing = { 'line-color': palette.halo, 'line-width': 7 }
  const line = { 'line-color': bySpeed, 'line-width': 4 }
  return [
    {
      ...{ id: 'track-casing', type: 'line', source: WAY, layout },
      paint: { ...casing, 'line-opacity': isAlone ? 0 : 1 },
    },
    {
      ...{ id: 'track-line', type: 'line', source: WAY, layout },
      paint: { ...line, 'line-opacity': isAlone ? FADED : 1 },
    },
    { ...{ id: 'track-alone-casing', type: 'line', source: ALONE, layout }, paint: casing },
    { ...{ id: 'track-alone-line', type: 'line', source: ALONE, layout }, paint: line },
    {
      id: TRIPS,
      type: 'line',
      source: TRIPS,
      paint: { 'line-width': 16, 'line-opacity': 0 },
    },
  ]
}

function stopLayers(palette: Palette): LayerSpecification[] {
  const opacity: ExpressionSpecification = ['case', ['get', 'isFaded'], FADED, 1]
  const { idle, stopped } = palette.motion
  return [
    {
      id: 'track-chosen-place',
      type: 'circle',
      source: CHOSEN,
      paint: { 'circle-radius': 15, 'circle-color': palette.selected },
    },
    {
      id: STOPS,
      type: 'circle',
      source: STOPS,
      paint: {
        'circle-radius': 10,
        'circle-color': ['match', ['get', 'motion'], 'idle', idle, stopped],
        'circle-opacity': opacity,
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 1.5,
        'circle-stroke-opacity': opacity,
      },
    },
    {
      id: 'track-stop-numbers',
      type: 'symbol',
      source: STOPS,
      layout: {
        'text-field': ['to-string', ['get', 'number']],
        'text-font': MAP_FONT,
        'text-size': 12,
        'text-allow-overlap': true,
        'text-ignore-placement': true,
      },
      paint: { 'text-color': palette.halo, 'text-opacity': opacity },
    },
    {
      id: 'track-stop-names',
      type: 'symbol',
      source: STOPS,
      layout: {
        'text-field': ['get', 'label'],
        'text-font': MAP_FONT,
        'text-size': 12,
        'text-offset': [0, 1.1],
        'text-anchor': 'top',
      },
      paint: {
        'text-color': palette.label,
        'text-halo-color': palette.labelHalo,
        'text-halo-width': 1.6,
        'text-opacity': opacity,
      },
    },
  ]
}

function pointsIn(points: TrackPoint[], { first, last }: Played): TrackPoint[] {
  return points.slice(lastBefore(points, first), lastBefore(points, last) + 1)
}
