import { useQuery } from '@tanstack/react-query'
import type { Map as MapLibre } from 'maplibre-gl'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { get } from '../api/client.ts'
import type { Geofences, OrganizationSummary, Routes, Server, Sites } from '../api/types.ts'
import { useAddress } from '../app/address.ts'
import { dayOf } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { besidePanels, fit } from './base/camera.ts'
import { latitudeAt, longitudeAt } from './base/mercator.ts'
import { PALETTES } from './base/palette.ts'
import { useTheme } from './base/theme.ts'
import { useMap } from './base/use-map.ts'
import { fleetBounds } from './fleet/fleet-bounds.ts'
import { hiddenOf, Legend, type Shown, shownBits, shownOf } from './Legend.tsx'
import { openNames } from './labels/names.ts'
import { useObjectLabels } from './labels/use-object-labels.ts'
import type { LiveFleet, StreamState } from './layer/live-fleet.ts'
import { useFollowing } from './layer/use-following.ts'
import { useFromLive, useLiveFleet } from './layer/use-live-fleet.ts'
import { usePicking } from './layer/use-picking.ts'
import { ObjectCard } from './ObjectCard.tsx'
import { ObjectSearch } from './ObjectSearch.tsx'
import { drawPlaces, showPlaces } from './places/place-layers.ts'
import type { Places } from './places/places.ts'
import { DayTrack } from './track/DayTrack.tsx'
import { trackedIn } from './tracked.ts'
import './LiveMap.css'

/** The zoom for one object. */
const OBJECT_ZOOM = 14

export type LiveMapProps = {
  organization: OrganizationSummary
  server: Server
  /** Opens the settings of an object. */
  onOpenObject?: (id: number) => void
}

/** The objects of an organization on a map, updated as packets come in. */
export function LiveMap({ organization, server, onOpenObject }: LiveMapProps) {
  const container = useRef<HTMLDivElement>(null)
  const { map, failed } = useMap(
    container,
    `Map of ${organization.name}`,
    server,
    organization.distance_unit,
  )
  const live = useLiveFleet(map, organization.id)
  const [utc] = useUtc()
  const [address, change] = useAddress()
  const { object: selected, day } = trackedIn(address)
  const hide = address.get('hide')
  const shown = useMemo(() => shownOf(hide), [hide])
  const [followed, setFollowed] = useState<number>()
  const following = selected !== undefined && followed === selected
  /** The object that was clicked on the map, which therefore is in view. */
  const pointed = useRef<number>(undefined)
  const places = usePlaces(organization.id)
  const seen = useFromLive(live, 250, ({ fleet }) => fleet.size > 0)

  usePlacesOnMap(map, live, places, shown)
  usePicking(map, live, (id) => {
    pointed.current = id
    select(id)
  })
  useFollowing(map, live, following ? selected : undefined)
  useSelectedInView(map, live, selected, day !== undefined, pointed)
  useEffect(() => live?.drawn.setSelected(selected), [live, selected])
  // Beside a day's track other objects would hide it, so only the track's own object stays.
  const bits = day === undefined ? shownBits(shown) : 0
  useEffect(() => live?.drawn.setShown(bits), [live, bits])
  const names = useMemo(() => openNames(organization.id), [organization.id])
  useEffect(() => () => names.close(), [names])
  useEffect(() => live?.onSettings(names.list.outdate), [live, names])
  useObjectLabels(map, live, names, shown.names ? { bits, selected } : undefined)

  function select(id: number): void {
    setFollowed(undefined)
    change({ object: String(id), day: null, record: null })
  }

  function deselect(): void {
    setFollowed(undefined)
    change({ object: null, day: null, record: null })
    map?.getCanvas().focus({ preventScroll: true })
  }

  function track(id: number): void {
    const seen = live === undefined ? undefined : lastFix(live, id)
    change({ day: dayOf(seen ?? Date.now(), utc) })
  }

  return (
    <div className={failed ? 'fleetmap fleetmap-without' : 'fleetmap'}>
      <div ref={container} className="fleetmap-canvas" />
      {failed && (
        <p role="alert" className="fleetmap-failed">
          The map needs WebGL 2, which this browser does not offer. Turn on graphics acceleration in
          its settings, or use the list.
        </p>
      )}
      <div className="fleetmap-corner">
        <ObjectSearch
          organization={organization.id}
          names={names}
          always={failed}
          onChoose={({ id }) => select(id)}
        />
        {!failed && (
          <button
            type="button"
            className="fleetmap-panel fleetmap-fit"
            disabled={!seen}
            onClick={() => fitFleet(map, live)}
          >
            Fit all
          </button>
        )}
        {!failed && <StreamNotice live={live} />}
      </div>
      {!failed && (
        <Legend
          live={live}
          places={{
            geofences: places.geofences?.length ?? 0,
            routes: places.routes?.length ?? 0,
            sites: places.sites?.length ?? 0,
          }}
          shown={shown}
          onShown={(next) => change({ hide: hiddenOf(next) })}
          track={day === undefined ? undefined : organization.distance_unit}
        />
      )}
      {selected !== undefined && day === undefined && (
        <ObjectCard
          organization={organization}
          id={selected}
          live={live}
          following={following}
          onFollow={(follows) => setFollowed(follows ? selected : undefined)}
          onTrack={() => track(selected)}
          onOpen={onOpenObject}
          onClose={deselect}
        />
      )}
      {selected !== undefined && day !== undefined && (
        <DayTrack
          key={selected}
          organization={organization}
          object={selected}
          map={map}
          day={day}
          chosen={address.get('record')}
          onChoose={(record) => change({ record })}
          onDay={(next, options) => change({ day: next, record: null }, options)}
          onClose={() => change({ day: null, record: null })}
        />
      )}
    </div>
  )
}

/** Tells when nothing can be shown yet, and when the map no longer follows the packets. */
function StreamNotice({ live }: { live: LiveFleet | undefined }) {
  const state = useFromLive(live, 250, (each): StreamState | 'empty' => {
    const streamState = each.state()
    return streamState === 'open' && each.fleet.size === 0 ? 'empty' : streamState
  })
  return (
    <div role="status">
      {state !== undefined && state !== 'open' && (
        <p className={`fleetmap-panel fleetmap-notice fleetmap-notice-${state}`}>
          {NOTICES[state]}
        </p>
      )}
    </div>
  )
}

const NOTICES = {
  waiting: 'Loading positions…',
  lost: 'Connection lost, reconnecting… Positions may be out of date.',
  empty: 'No object has sent a position yet. They appear here with their first packet.',
}

function usePlaces(organization: number): Places {
  const path = `/organizations/${organization}`
  const key = ['map', organization]
  const geofences = useQuery({
    queryKey: [...key, 'geofences'],
    queryFn: ({ signal }) => get<Geofences>(`${path}/geofences`, signal),
  })
  const routes = useQuery({
    queryKey: [...key, 'routes'],
    queryFn: ({ signal }) => get<Routes>(`${path}/routes`, signal),
  })
  const sites = useQuery({
    queryKey: [...key, 'sites'],
    queryFn: ({ signal }) => get<Sites>(`${path}/sites`, signal),
  })
  return {
    ...(geofences.data && { geofences: geofences.data.items }),
    ...(routes.data && { routes: routes.data.items }),
    ...(sites.data && { sites: sites.data.items }),
  }
}

function usePlacesOnMap(
  map: MapLibre | undefined,
  live: LiveFleet | undefined,
  { geofences, routes, sites }: Places,
  shown: Shown,
): void {
  const palette = PALETTES[useTheme()]
  const latest = useRef(shown)
  latest.current = shown
  // biome-ignore lint/correctness/useExhaustiveDependencies: they lie below the layer of the fleet, which comes with it
  useEffect(() => {
    if (map === undefined) return
    const places = { geofences: geofences ?? [], routes: routes ?? [], sites: sites ?? [] }
    drawPlaces(map, places, palette, latest.current, 'fleet')
  }, [map, live, geofences, routes, sites, palette])
  useEffect(() => {
    if (map !== undefined) showPlaces(map, shown)
  }, [map, shown])
}

/** Flies to the object that is selected, unless a click has found it. Without one, fits the fleet once. */
function useSelectedInView(
  map: MapLibre | undefined,
  live: LiveFleet | undefined,
  chosen: number | undefined,
  isTracked: boolean,
  pointed: RefObject<number | undefined>,
): void {
  const ready = useFromLive(live, 250, (each) => each.state() === 'open' && each.fleet.size > 0)
  // A day's track is fitted into view instead. Positions may come in after it.
  const selected = isTracked ? undefined : chosen
  const before = useRef<{ live: LiveFleet; selected: number | undefined }>(undefined)
  useEffect(() => {
    if (!ready || map === undefined || live === undefined) return
    const isFirst = before.current?.live !== live
    // A stream that was lost and came back moves nothing.
    if (!isFirst && before.current?.selected === selected) return
    before.current = { live, selected }
    const at = selected === undefined ? undefined : placeOf(live, selected)
    if (at !== undefined && pointed.current !== selected) {
      map.flyTo({
        center: at,
        zoom: Math.max(OBJECT_ZOOM, map.getZoom()),
        offset: besidePanels(map),
      })
    } else if (isFirst && !isTracked) fitFleet(map, live)
    pointed.current = undefined
  }, [ready, map, live, selected, isTracked, pointed])
}

function fitFleet(map: MapLibre | undefined, live: LiveFleet | undefined): void {
  const around = live === undefined ? undefined : fleetBounds(live.fleet)
  if (map !== undefined && around !== undefined) fit(map, around, OBJECT_ZOOM)
}

function placeOf({ fleet }: LiveFleet, id: number): [number, number] | undefined {
  const row = fleet.rowOf.get(id)
  return row === undefined ? undefined : [longitudeAt(fleet.x[row]!), latitudeAt(fleet.y[row]!)]
}

function lastFix({ fleet }: LiveFleet, id: number): number | undefined {
  const row = fleet.rowOf.get(id)
  return row === undefined ? undefined : fleet.time[row]
}
