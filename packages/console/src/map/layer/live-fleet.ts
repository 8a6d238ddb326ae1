import type { Map as MapLibre } from 'maplibre-gl'
import type { Palette } from '../base/palette.ts'
import { prefersStillness } from '../base/stillness.ts'
import { createFleet, type Fleet } from '../fleet/fleet.ts'
import type { LiveMessage } from '../fleet/live-message.ts'
import { openLiveStream } from '../fleet/live-stream.ts'
import { createPending, takeSlice } from '../fleet/pending.ts'
import { createFleetLayer, type FleetLayer } from './fleet-layer.ts'

/** `waiting`: not all objects have arrived. `lost`: the stream broke and reconnects. */
export type StreamState = 'waiting' | 'open' | 'lost'

export type LiveFleet = {
  readonly fleet: Fleet
  readonly drawn: FleetLayer
  state(): StreamState
  /** Whether all objects have arrived at least once. */
  hasAll(): boolean
  /** Called after each slice of objects and when the state changes. */
  onChange(listener: () => void): () => void
  /** Called when objects may have been added, deleted or renamed. */
  onSettings(listener: () => void): () => void
  close(): void
}

/** Keeps a fleet up to date from the stream and draws it on the map. */
export function openLiveFleet(map: MapLibre, organization: number, palette: Palette): LiveFleet {
  const fleet = createFleet()
  const pending = createPending()
  const listeners = new Set<() => void>()
  const settingsListeners = new Set<() => void>()
  let state: StreamState = 'waiting'
  let hasAll = false

  function changed(): void {
    for (const listener of listeners) listener()
  }

  function take(now: number, most?: number): boolean {
    if (pending.batches.length === 0) return false
    const more = takeSlice(pending, fleet, now, !prefersStillness(), most)
    if (pending.whole) {
      state = 'open'
      hasAll = true
    }
    changed()
    return more
  }

  function receive(message: LiveMessage): void {
    if ('state' in message) {
      // The stream counts as open once its first event is on the map.
      if (message.state === 'lost') {
        pending.whole = false
        state = 'lost'
        changed()
      }
      return
    }
    if ('settings' in message) {
      for (const listener of settingsListeners) listener()
      changed()
      return
    }
    pending.batches.push(message)
    // A page in the background gets no frames, so events would pile up.
    if (document.hidden) take(performance.now(), Number.POSITIVE_INFINITY)
    else drawn.redraw()
  }

  const drawn = createFleetLayer(map, fleet, palette, take)
  map.addLayer(drawn.layer)
  const closeStream = openLiveStream(organization, receive)

  return {
    fleet,
    drawn,
    state: () => state,
    hasAll: () => hasAll,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onSettings(listener) {
      settingsListeners.add(listener)
      return () => settingsListeners.delete(listener)
    },
    close() {
      closeStream()
      listeners.clear()
      settingsListeners.clear()
      if (map.getLayer(drawn.layer.id)) map.removeLayer(drawn.layer.id)
    },
  }
}
