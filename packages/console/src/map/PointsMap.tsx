import type { GeoJSONSource } from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import type { Server } from '../api/types.ts'
import { t } from '../language/text.ts'
import { fit } from './base/camera.ts'
import { PALETTES } from './base/palette.ts'
import { useTheme } from './base/theme.ts'
import { useMap } from './base/use-map.ts'
import type { LonLat } from './places/shapes.ts'
import { boundsOf } from './track/track.ts'
import './LiveMap.css'
import './places/PlaceEditor.css'

const LAYER = 'points'

export type PointsMapProps = { points: LonLat[]; server: Server }

/** The first positions of a file that is not imported yet. */
export function PointsMap({ points, server }: PointsMapProps) {
  const container = useRef<HTMLDivElement>(null)
  const palette = PALETTES[useTheme()]
  const { map, failed } = useMap(container, t('Map preview of the first rows'), server)

  useEffect(() => {
    if (map === undefined) return
    const data: GeoJSON.Feature = {
      type: 'Feature',
      properties: {},
      geometry: { type: 'MultiPoint', coordinates: points },
    }
    const source = map.getSource<GeoJSONSource>(LAYER)
    if (source === undefined) map.addSource(LAYER, { type: 'geojson', data })
    else source.setData(data)
    if (map.getLayer(LAYER) === undefined) {
      map.addLayer({ id: LAYER, type: 'circle', source: LAYER, paint: { 'circle-radius': 5 } })
    }
    map.setPaintProperty(LAYER, 'circle-color', palette.after)
    map.setPaintProperty(LAYER, 'circle-stroke-color', palette.halo)
    map.setPaintProperty(LAYER, 'circle-stroke-width', 1.5)
  }, [map, points, palette])

  useEffect(() => {
    const around = boundsOf(points)
    if (map !== undefined && around !== undefined) fit(map, around, 14)
  }, [map, points])

  return (
    <figure className="previewmap">
      <div ref={container} className="previewmap-canvas" />
      {failed && (
        <p role="alert">{t('The map needs WebGL 2, which this browser does not offer.')}</p>
      )}
    </figure>
  )
}
