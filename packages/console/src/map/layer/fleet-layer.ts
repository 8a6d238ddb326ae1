import type { CustomLayerInterface, Map as MapLibre } from 'maplibre-gl'
import type { Palette } from '../base/palette.ts'
import { viewOf } from '../base/view.ts'
import {
  ALL_SINGLE_ZOOM,
  type Clusters,
  cluster,
  clusterZoom,
  createTables,
} from '../fleet/clusters.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type ClusterPainter, createClusterPainter } from './cluster-painter.ts'
import { createObjectPainter, type ObjectPainter } from './object-painter.ts'

/** Clusters of a moving fleet are computed at most this often: nobody reads counts faster. */
const RECLUSTER_MS = 250

export type FleetLayer = {
  readonly layer: CustomLayerInterface
  /** The clusters as last drawn. */
  clusters(): Clusters
  /** Draws the fleet again at the next visible frame. */
  redraw(): void
  setPalette(palette: Palette): void
  /** One bit for each motion. */
  setShown(shown: number): void
  setSelected(id: number | undefined): void
}

/**
 * The objects as a layer of the map that draws them straight from the fleet's columns. A GeoJSON
 * source was measured in its place, with 20,000 objects of which 2,000 move in a second: a frame
 * took 34 ms of the main thread when all are set again (p95 104), 12 ms when those that changed are
 * (p95 20), and 4 ms like this (p95 6).
 * `beforeFrame` is called once a frame, and says whether it needs another one.
 */
export function createFleetLayer(
  map: MapLibre,
  fleet: Fleet,
  firstPalette: Palette,
  beforeFrame: (now: number) => boolean,
): FleetLayer {
  let palette = firstPalette
  let shown = ~0
  let selected: number | undefined
  let objects: ObjectPainter | undefined
  let groups: ClusterPainter | undefined
  const tables = createTables()
  let clusters = cluster(fleet, 0, shown, -1)
  let madeOf = ''
  let madeAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function selectedRow(): number {
    return selected === undefined ? -1 : (fleet.rowOf.get(selected) ?? -1)
  }

  function redrawLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      map.triggerRepaint()
    }, RECLUSTER_MS)
  }

  /** Far objects are in clusters, where a glide is shorter than a pixel. */
  function isNear(): boolean {
    return map.getZoom() >= ALL_SINGLE_ZOOM
  }

  function regroup(now: number): void {
    const settings = `${clusterZoom(map.getZoom())} ${shown} ${selected}`
    const of = `${settings} ${fleet.revision}`
    if (of === madeOf) return
    const asked = !madeOf.startsWith(`${settings} `)
    const grown = fleet.size !== clusters.single.length
    if (!asked && !grown && now - madeAt < RECLUSTER_MS) {
      redrawLater()
      return
    }
    madeOf = of
    madeAt = now
    clusters = cluster(fleet, clusterZoom(map.getZoom()), shown, selectedRow(), tables)
    objects?.setSingle(clusters.single)
    groups?.set(clusters)
  }

  /** The graphics card lost its data. The next frame uploads it again. */
  function forget(): void {
    objects = undefined
    groups = undefined
    madeOf = ''
  }

  const layer: CustomLayerInterface = {
    id: 'fleet',
    type: 'custom',
    prerender(gl) {
      objects ??= createObjectPainter(gl)
      groups ??= createClusterPainter(gl)
      const now = performance.now()
      const more = beforeFrame(now)
      regroup(now)
      if (more || (isNear() && now < fleet.glidesUntil)) map.triggerRepaint()
    },
    render() {
      const view = viewOf(map)
      objects?.draw(fleet, view, palette, selectedRow(), performance.now())
      groups?.draw(view, palette)
    },
    onAdd() {
      map.on('webglcontextlost', forget)
    },
    onRemove() {
      clearTimeout(timer)
      map.off('webglcontextlost', forget)
      objects?.free()
      groups?.free()
      forget()
    },
  }

  return {
    layer,
    clusters: () => clusters,
    redraw() {
      if (isNear()) map.triggerRepaint()
      else redrawLater()
    },
    setPalette(next) {
      palette = next
      map.triggerRepaint()
    },
    setShown(next) {
      shown = next
      map.triggerRepaint()
    },
    setSelected(next) {
      selected = next
      map.triggerRepaint()
    },
  }
}
