import { useEffect, useRef } from 'react'
import type { Server } from '../api/types.ts'
import { t } from '../language/text.ts'
import { fit } from './base/camera.ts'
import { NoWebGl } from './base/NoWebGl.tsx'
import { PALETTES } from './base/palette.ts'
import { setLayer, setShapes, shape } from './base/shapes-on-map.ts'
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
    setShapes(map, LAYER, shape({ type: 'MultiPoint', coordinates: points }))
    setLayer(map, {
      id: LAYER,
      type: 'circle',
      source: LAYER,
      paint: {
        'circle-radius': 5,
        'circle-color': palette.after,
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 1.5,
      },
    })
  }, [map, points, palette])

  useEffect(() => {
    const around = boundsOf(points)
    if (map !== undefined && around !== undefined) fit(map, around, 14)
  }, [map, points])

  return (
    <figure className="previewmap">
      <div ref={container} className="previewmap-canvas" />
      {failed && <NoWebGl />}
    </figure>
  )
}
