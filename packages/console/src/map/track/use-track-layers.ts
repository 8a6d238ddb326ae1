import {
  type ExpressionSpecification,
  type LayerSpecification,
  type Map as MapLibre,
  Marker,
} from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import type { Track } from '../../api/types.ts'
import { fit } from '../base/camera.ts'
import { PALETTES, type Palette } from '../base/palette.ts'
import { MAP_FONT } from '../base/street-layers.ts'
import { useTheme } from '../base/theme.ts'
import { stopLabel } from './stop-label.ts'
import { type AtMoment, boundsOf, colouredWay } from './track.ts'

const WAY = 'track-way'
const STOPS = 'track-stops'

/** Draws a track, its stops, and the object at the selected moment. */
export function useTrackLayers(
  map: MapLibre | undefined,
  track: Track,
  bounds: number[],
  moment: AtMoment | undefined,
): void {
  const palette = PALETTES[useTheme()]

  useEffect(() => {
    if (map === undefined) return
    const around = boundsOf(track.points.map(([, longitude, latitude]) => [longitude, latitude]))
    if (around !== undefined) fit(map, around, 15)
  }, [map, track])

  useEffect(() => {
    if (map === undefined) return
    map.addSource(WAY, { type: 'geojson', data: colouredWay(track.points, bounds) })
    map.addSource(STOPS, { type: 'geojson', data: stopFeatures(track) })
    const added = layers(palette)
    for (const layer of added) map.addLayer(layer)
    return () => {
      // The map and its style may be gone by now.
      if (map.style === undefined) return
      for (const { id } of added) if (map.getLayer(id)) map.removeLayer(id)
      for (const id of [WAY, STOPS]) if (map.getSource(id)) map.removeSource(id)
    }
  }, [map, track, bounds, palette])

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

function stopFeatures(track: Track): GeoJSON.FeatureCollection {
  const last = track.points.at(-1)?.[0] ?? 0
  return {
    type: 'FeatureCollection',
    features: track.stops.map((stop) => ({
      type: 'Feature',
      properties: { label: stopLabel(stop, last), motion: stop.motion },
      geometry: { type: 'Point', coordinates: [stop.longitude, stop.latitude] },
    })),
  }
}

function layers(palette: Palette): LayerSpecification[] {
  const bySpeed = [
    'match',
    ['get', 'speed'],
    ...palette.speeds.flatMap((colour, at) => [at, colour]),
    palette.speeds[0],
  ] as unknown as ExpressionSpecification
  const layout = { 'line-cap': 'round', 'line-join': 'round' } as const
  return [
    {
      id: 'track-casing',
      type: 'line',
      source: WAY,
      layout,
      paint: { 'line-color': palette.halo, 'line-width': 7 },
    },
    {
      id: 'track-line',
      type: 'line',
      source: WAY,
      layout,
      paint: { 'line-color': bySpeed, 'line-width': 4 },
    },
    {
      id: 'track-stops',
      type: 'circle',
      source: STOPS,
      paint: {
        'circle-radius': 6,
        'circle-color': [
          'match',
          ['get', 'motion'],
          'idle',
          palette.motion.idle,
          palette.motion.stopped,
        ],
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'track-stop-names',
      type: 'symbol',
      source: STOPS,
      layout: {
        'text-field': ['get', 'label'],
        'text-font': MAP_FONT,
        'text-size': 12,
        'text-offset': [0, 0.9],
        'text-anchor': 'top',
      },
      paint: {
        'text-color': palette.label,
        'text-halo-color': palette.labelHalo,
        'text-halo-width': 1.6,
      },
    },
  ]
}
