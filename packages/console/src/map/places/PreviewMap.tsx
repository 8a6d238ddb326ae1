import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useMemo, useRef } from 'react'
import type { Server } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { continued } from '../base/antimeridian.ts'
import { fit } from '../base/camera.ts'
import { NoWebGl } from '../base/NoWebGl.tsx'
import { PALETTES, type Palette } from '../base/palette.ts'
import { setLayer, setShapes, shape } from '../base/shapes-on-map.ts'
import { useTheme } from '../base/theme.ts'
import { useMap } from '../base/use-map.ts'
import { boundsOf } from '../track/track.ts'
import type { LonLat } from './shapes.ts'
import '../LiveMap.css'
import './PlaceEditor.css'

export type PreviewMapProps = { before: LonLat[]; after: LonLat[]; server: Server }

/** A day's track under the saved settings (dashed) and under other settings (solid). */
export function PreviewMap({ server, ...given }: PreviewMapProps) {
  const before = useMemo(() => continued(given.before), [given.before])
  const after = useMemo(() => continued(given.after), [given.after])
  const container = useRef<HTMLDivElement>(null)
  const palette = PALETTES[useTheme()]
  const { map, failed } = useMap(container, t('Track before and after the change'), server)

  useEffect(() => {
    if (map !== undefined) drawWays(map, { before, after }, palette)
  }, [map, before, after, palette])

  useEffect(() => {
    const around = boundsOf([...before, ...after])
    if (map !== undefined && around !== undefined) fit(map, around, 16)
  }, [map, before, after])

  return (
    <figure className="previewmap">
      <div ref={container} className="previewmap-canvas" />
      {failed && <NoWebGl />}
      <figcaption>
        <span>
          <Sample color={palette.before} dash="2 5" />
          {t('Now: {{count, number}} positions', {
            count: before.length,
          })}
        </span>
        <span>
          <Sample color={palette.after} />
          {t('After: {{count, number}} positions', {
            count: after.length,
          })}
        </span>
      </figcaption>
    </figure>
  )
}

function Sample({ color, dash }: { color: string; dash?: string }) {
  return (
    <svg width="36" height="10" aria-hidden="true">
      <line
        x1="3"
        x2="33"
        y1="5"
        y2="5"
        stroke={color}
        strokeWidth="4"
        strokeLinecap="round"
        {...(dash === undefined ? {} : { strokeDasharray: dash })}
      />
    </svg>
  )
}

function drawWays(
  map: MapLibre,
  ways: Record<'before' | 'after', LonLat[]>,
  palette: Palette,
): void {
  // The saved track is on top: the other one shows through its dashes.
  for (const name of ['after', 'before'] as const) {
    setShapes(map, name, shape({ type: 'LineString', coordinates: ways[name] }))
    setLayer(map, {
      id: name,
      type: 'line',
      source: name,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': palette[name],
        'line-width': name === 'before' ? 3 : 4.5,
        ...(name === 'before' ? { 'line-dasharray': [0.6, 2] } : {}),
      },
    })
  }
}
