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
import { type Fleet, hideOthers } from '../fleet/fleet.ts'
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
  /** Draws only these objects, of those whose motion is shown. Undefined: all. */
  setListed(listed: ReadonlySet<number> | undefined): void
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
  palette: Palette,
  beforeFrame: (now: number) => boolean,
): FleetLayer {
  const look = { palette, shown: ~0, selected: undefined as number | undefined }
  let objects: ObjectPainter | undefined
  let groups: ClusterPainter | undefined
  const current = currentClusters(map, fleet)

  function change(part: Partial<typeof look>): void {
    Object.assign(look, part)
    map.triggerRepaint()
  }

  /** The graphics card lost its data. The next frame uploads it again. */
  function forget(): void {
    objects = undefined
    groups = undefined
    current.forget()
  }

  const layer: CustomLayerInterface = {
    id: 'fleet',
    type: 'custom',
    prerender(gl) {
      objects ??= createObjectPainter(gl)
      groups ??= createClusterPainter(gl)
      const now = performance.now()
      const more = beforeFrame(now)
      if (current.update(now, look.shown, look.selected)) {
        const clusters = current.get()
        objects.setSingle(clusters.single)
        groups.set(clusters)
      }
      if (more || (isNear(map) && now < fleet.glidesUntil)) map.triggerRepaint()
    },
    render() {
      const view = viewOf(map)
      objects?.draw(fleet, view, look.palette, rowOf(fleet, look.selected), performance.now())
      groups?.draw(view, look.palette)
    },
    onAdd() {
      map.on('webglcontextlost', forget)
    },
    onRemove() {
      current.stop()
      map.off('webglcontextlost', forget)
      objects?.free()
      groups?.free()
      forget()
    },
  }

  return {
    layer,
    clusters: current.get,
    redraw() {
      if (isNear(map)) map.triggerRepaint()
      else current.redrawLater()
    },
    setPalette: (palette) => change({ palette }),
    setShown: (shown) => change({ shown }),
    setListed(listed) {
      hideOthers(fleet, listed)
      change({})
    },
    setSelected: (selected) => change({ selected }),
  }
}

/** The clusters of the fleet at the zoom of the map. While it moves, they are computed at intervals. */
function currentClusters(map: MapLibre, fleet: Fleet) {
  const tables = createTables()
  let clusters = cluster(fleet, 0, ~0, -1)
  let madeOf = ''
  let madeAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function redrawLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      map.triggerRepaint()
    }, RECLUSTER_MS)
  }

  return {
    get: () => clusters,
    redrawLater,
    /** Whether other clusters were made. */
    update(now: number, shown: number, selected: number | undefined): boolean {
      const settings = `${clusterZoom(map.getZoom())} ${shown} ${selected}`
      const of = `${settings} ${fleet.revision}`
      if (of === madeOf) return false
      const asked = !madeOf.startsWith(`${settings} `)
      const grown = fleet.size !== clusters.single.length
      if (!asked && !grown && now - madeAt < RECLUSTER_MS) {
        redrawLater()
        return false
      }
      madeOf = of
      madeAt = now
      clusters = cluster(fleet, clusterZoom(map.getZoom()), shown, rowOf(fleet, selected), tables)
      return true
    },
    /** The next update makes them again. */
    forget(): void {
      madeOf = ''
    },
    stop: () => clearTimeout(timer),
  }
}

/** Far objects are in clusters, where a glide is shorter than a pixel. */
function isNear(map: MapLibre): boolean {
  return map.getZoom() >= ALL_SINGLE_ZOOM
}

function rowOf(fleet: Fleet, id: number | undefined): number {
  return id === undefined ? -1 : (fleet.rowOf.get(id) ?? -1)
}
