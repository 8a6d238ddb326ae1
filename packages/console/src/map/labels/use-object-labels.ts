import type { Map as MapLibre, SymbolLayerSpecification } from 'maplibre-gl'
import { useEffect, useRef } from 'react'
import { PALETTES, type Palette } from '../base/palette.ts'
import { removeShapes, setLayer, setShapes } from '../base/shapes-on-map.ts'
import { MAP_FONT } from '../base/street-layers.ts'
import { useTheme } from '../base/theme.ts'
import { partOf } from '../base/view.ts'
import type { LiveFleet } from '../layer/live-fleet.ts'
import type { Names } from './names.ts'
import { LABEL_ZOOM, type Labeled, labelFeatures, rowsToLabel } from './object-labels.ts'

const LABELS = 'object-names'

/** Labels follow moving objects at most this often: a text that glides is hard to read. */
const REFRESH_MS = 500

const NO_LABELS = { type: 'FeatureCollection' as const, features: [] }

/**
 * Writes the names of objects next to them. The map places the texts, so that none overlaps another one or
 * the name of a place. Without `labeled` there are none.
 */
export function useObjectLabels(
  map: MapLibre | undefined,
  live: LiveFleet | undefined,
  names: Names,
  labeled: Labeled | undefined,
): void {
  const palette = PALETTES[useTheme()]
  const latest = useRef(labeled)
  latest.current = labeled
  const refresh = useRef<() => void>(undefined)

  useEffect(() => {
    if (map === undefined || live === undefined) return
    const { known } = names
    let timer: ReturnType<typeof setTimeout> | undefined
    let drawn = ''
    setShapes(map, LABELS, NO_LABELS)
    map.addLayer(LABEL_LAYER)

    const draw = () => {
      timer = undefined
      const wanted = map.getZoom() < LABEL_ZOOM ? undefined : latest.current
      const rows = wanted === undefined ? [] : rowsToLabel(live.fleet, partOf(map), wanted)
      known.want(rows.map((row) => live.fleet.ids[row]!))
      const data = labelFeatures(live.fleet, rows, known, performance.now())
      const text = JSON.stringify(data)
      if (text === drawn) return
      drawn = text
      setShapes(map, LABELS, data)
    }
    const later = () => {
      timer ??= setTimeout(draw, REFRESH_MS)
    }
    refresh.current = draw
    draw()
    const stops = [live.onChange(later), known.onMore(draw)]
    map.on('moveend', draw)
    return () => {
      refresh.current = undefined
      for (const stop of stops) stop()
      clearTimeout(timer)
      map.off('moveend', draw)
      removeShapes(map, [LABELS])
    }
  }, [map, live, names])

  useEffect(() => {
    if (map === undefined || live === undefined) return
    setLayer(map, { ...LABEL_LAYER, paint: labelPaint(palette) })
  }, [map, live, palette])

  const { bits, selected } = labeled ?? {}
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of what is labeled is drawn at once
  useEffect(() => refresh.current?.(), [bits, selected])
}

const LABEL_LAYER: SymbolLayerSpecification = {
  id: LABELS,
  type: 'symbol',
  source: LABELS,
  minzoom: LABEL_ZOOM,
  layout: {
    'text-field': ['get', 'name'],
    'text-font': MAP_FONT,
    'text-size': 12,
    'text-max-width': 12,
    'text-padding': 3,
    'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
    'text-radial-offset': 1.1,
    'text-justify': 'auto',
    'symbol-sort-key': ['get', 'rank'],
  },
  paint: { 'text-halo-width': 1.8 },
}

/** The colors of clusters: they are readable on every base map, in light and dark. */
function labelPaint({ clusterText, clusterFill }: Palette) {
  return { 'text-color': clusterText, 'text-halo-color': clusterFill }
}
