import { useQuery } from '@tanstack/react-query'
import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'react'
import { get } from '../api/client.ts'
import type { Geofences, OrganizationSummary, Routes, Server, Sites } from '../api/types.ts'
import { besidePanels, fit } from './camera.ts'
import { DayTrack } from './DayTrack.tsx'
import { fleetBounds } from './fleet-bounds.ts'
import { ALL_SHOWN, Legend, type Shown, shownBits } from './Legend.tsx'
import type { LiveFleet, StreamState } from './live-fleet.ts'
import { latitudeAt, longitudeAt } from './mercator.ts'
import { ObjectCard } from './ObjectCard.tsx'
import { ObjectSearch } from './ObjectSearch.tsx'
import { PALETTES } from './palette.ts'
import { drawPlaces, showPlaces } from './place-layers.ts'
import type { Places } from './places.ts'
import { useTheme } from './theme.ts'
import { useFollowing } from './use-following.ts'
import { useFromLive, useLiveFleet } from './use-live-fleet.ts'
import { useMap } from './use-map.ts'
import { usePicking } from './use-picking.ts'
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
  const [selected, setSelected] = useState<number>()
  const [following, setFollowing] = useState(false)
  const [tracking, setTracking] = useState(false)
  const [shown, setShown] = useState<Shown>(ALL_SHOWN)
  const places = usePlaces(organization.id)
  const seen = useFromLive(live, 250, ({ fleet }) => fleet.size > 0)

  usePlacesOnMap(map, live, places, shown)
  usePicking(map, live, select)
  useFollowing(map, live, following ? selected : undefined)
  useFirstFit(map, live)
  useEffect(() => live?.drawn.setSelected(selected), [live, selected])
  // Beside a day's track other objects would hide it, so only the track's own object stays.
  const bits = tracking ? 0 : shownBits(shown)
  useEffect(() => live?.drawn.setShown(bits), [live, bits])

  function select(id: number): void {
    setSelected(id)
    setFollowing(false)
    setTracking(false)
  }

  function find(id: number): void {
    select(id)
    const at = live === undefined ? undefined : placeOf(live, id)
    if (map === undefined || at === undefined) return
    map.flyTo({
      center: at,
      zoom: Math.max(OBJECT_ZOOM, map.getZoom()),
      offset: besidePanels(map),
    })
  }

  function deselect(): void {
    setSelected(undefined)
    setFollowing(false)
    setTracking(false)
    map?.getCanvas().focus({ preventScroll: true })
  }

  return (
    <div className={failed ? 'fleetmap fleetmap-without' : 'fleetmap'}>
      <div ref={container} className="fleetmap-canvas" />
      {failed && (
        <p role="alert" className="fleetmap-failed">
          This browser does not offer WebGL 2, which the map is drawn with. Turn on graphics
          acceleration in its settings, or use the list.
        </p>
      )}
      <div className="fleetmap-corner">
        <ObjectSearch
          organization={organization.id}
          always={failed}
          onChoose={({ id }) => find(id)}
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
          onShown={setShown}
        />
      )}
      {selected !== undefined && (
        <ObjectCard
          organization={organization}
          id={selected}
          live={live}
          following={following}
          tracking={tracking}
          onFollow={setFollowing}
          onTrack={setTracking}
          onOpen={onOpenObject}
          onClose={deselect}
        />
      )}
      {selected !== undefined && tracking && (
        <DayTrack
          key={selected}
          organization={organization}
          object={selected}
          map={map}
          lastSeen={live === undefined ? undefined : lastFix(live, selected)}
          onClose={() => setTracking(false)}
        />
      )}
    </div>
  )
}

/** Tells when nothing can be shown yet, and when the map no longer follows the packets. */
function StreamNotice({ live }: { live: LiveFleet | undefined }) {
  const state = useFromLive(live, 250, (each): StreamState | 'empty' => {
    const told = each.state()
    return told === 'open' && each.fleet.size === 0 ? 'empty' : told
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
  lost: 'Connection lost, reconnecting… Positions are as they were.',
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

/** Fit the view once, when the first objects are there. */
function useFirstFit(map: MapLibre | undefined, live: LiveFleet | undefined): void {
  const ready = useFromLive(live, 250, (each) => each.state() === 'open' && each.fleet.size > 0)
  const fitted = useRef<LiveFleet>(undefined)
  useEffect(() => {
    if (!ready || fitted.current === live) return
    fitted.current = live
    fitFleet(map, live)
  }, [ready, map, live])
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
