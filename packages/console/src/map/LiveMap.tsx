import type { Map as MapLibre } from 'maplibre-gl'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { OrganizationSummary, Server } from '../api/types.ts'
import { t } from '../language/text.ts'
import { useAddress } from '../ui/page/address.ts'
import { type Day, dayOf } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { besidePanels, fit } from './base/camera.ts'
import { latitudeAt, longitudeAt } from './base/mercator.ts'
import { useMap } from './base/use-map.ts'
import { fleetBounds } from './fleet/fleet-bounds.ts'
import { hiddenOf, Legend, type Shown, shownBits, shownOf } from './Legend.tsx'
import { type Names, openNames } from './labels/names.ts'
import { useObjectLabels } from './labels/use-object-labels.ts'
import type { LiveFleet, StreamState } from './layer/live-fleet.ts'
import { useFollowing } from './layer/use-following.ts'
import { useFromLive, useLiveFleet } from './layer/use-live-fleet.ts'
import { usePicking } from './layer/use-picking.ts'
import { ObjectCard } from './ObjectCard.tsx'
import { ObjectSearch } from './ObjectSearch.tsx'
import type { Places } from './places/places.ts'
import { usePlaces, usePlacesOnMap } from './places/use-places.ts'
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
    t('Map of {{name}}', { name: organization.name }),
    server,
    organization.distance_unit,
  )
  const live = useLiveFleet(map, organization.id)
  const { selected, day, following, select, follow } = useSelection()
  const [address, change] = useAddress()
  const hide = address.get('hide')
  const shown = useMemo(() => shownOf(hide), [hide])
  /** The object that was clicked on the map, which therefore is in view. */
  const pointed = useRef<number>(undefined)
  const places = usePlaces(organization.id)

  usePlacesOnMap(map, places, shown)
  usePicking(map, live, (id) => {
    pointed.current = id
    select(id)
  })
  useFollowing(map, live, following ? selected : undefined)
  useSelectedInView(map, live, selected, day !== undefined, pointed)
  const names = useNames(live, organization.id)
  useObjectsOnMap(map, live, names, shown, selected, day !== undefined)

  return (
    <div className={failed ? 'fleetmap fleetmap-without' : 'fleetmap'}>
      <div ref={container} className="fleetmap-canvas" />
      {failed && (
        <p role="alert" className="fleetmap-failed">
          {t(
            'The map needs WebGL 2, which this browser does not offer. Turn on graphics acceleration in its settings, or use the list.',
          )}
        </p>
      )}
      <div className="fleetmap-corner">
        <ObjectSearch
          organization={organization.id}
          names={names}
          always={failed}
          onChoose={({ id }) => select(id)}
        />
        {!failed && <FitButton map={map} live={live} />}
        {!failed && <StreamNotice live={live} />}
      </div>
      {!failed && (
        <Legend
          live={live}
          places={countsOf(places)}
          shown={shown}
          onShown={(next) => change({ hide: hiddenOf(next) })}
          track={day === undefined ? undefined : organization.distance_unit}
        />
      )}
      {selected !== undefined && (
        <SelectedObject
          organization={organization}
          id={selected}
          day={day}
          map={map}
          live={live}
          following={following}
          onFollow={follow}
          onOpen={onOpenObject}
        />
      )}
    </div>
  )
}

/** The object and the day that the address selects, and whether the map follows the object. */
function useSelection() {
  const [address, change] = useAddress()
  const { object: selected, day } = trackedIn(address)
  const [followed, setFollowed] = useState<number>()
  return {
    selected,
    day,
    following: selected !== undefined && followed === selected,
    follow: (follows: boolean) => setFollowed(follows ? selected : undefined),
    select(id: number): void {
      setFollowed(undefined)
      change({ object: String(id), day: null, record: null })
    },
  }
}

type SelectedObjectProps = {
  organization: OrganizationSummary
  id: number
  day: Day | undefined
  map: MapLibre | undefined
  live: LiveFleet | undefined
  following: boolean
  onFollow: (follows: boolean) => void
  onOpen: LiveMapProps['onOpenObject']
}

/** The card of an object, or its track on a day. */
function SelectedObject(props: SelectedObjectProps) {
  const { organization, id, day, map, live, following, onFollow, onOpen } = props
  const [utc] = useUtc()
  const [address, change] = useAddress()
  if (day !== undefined) {
    return (
      <DayTrack
        key={id}
        organization={organization}
        object={id}
        map={map}
        day={day}
        chosen={address.get('record')}
        onChoose={(record) => change({ record })}
        onDay={(next, options) => change({ day: next, record: null }, options)}
        onClose={() => change({ day: null, record: null })}
      />
    )
  }

  function deselect(): void {
    onFollow(false)
    change({ object: null, day: null, record: null })
    map?.getCanvas().focus({ preventScroll: true })
  }

  return (
    <ObjectCard
      organization={organization}
      id={id}
      live={live}
      following={following}
      onFollow={onFollow}
      onTrack={() => {
        const seen = live === undefined ? undefined : lastFix(live, id)
        change({ day: dayOf(seen ?? Date.now(), utc) })
      }}
      onOpen={onOpen}
      onClose={deselect}
    />
  )
}

function FitButton({ map, live }: { map: MapLibre | undefined; live: LiveFleet | undefined }) {
  const seen = useFromLive(live, 250, ({ fleet }) => fleet.size > 0)
  return (
    <button
      type="button"
      className="fleetmap-panel fleetmap-fit"
      disabled={!seen}
      onClick={() => fitFleet(map, live)}
    >
      {t('Fit all')}
    </button>
  )
}

/** Says when nothing can be shown yet, and when the map no longer follows the packets. */
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
  waiting: t('Loading positions…'),
  lost: t('Connection lost, reconnecting… Positions may be out of date.'),
  empty: t('No object has sent a position yet. They appear here with their first packet.'),
}

/** The names of objects, asked for again when settings change. */
function useNames(live: LiveFleet | undefined, organization: number): Names {
  const names = useMemo(() => openNames(organization), [organization])
  useEffect(() => () => names.close(), [names])
  useEffect(() => live?.onSettings(names.list.outdate), [live, names])
  return names
}

/** Draws the objects of the chosen motions, the selected one, and their names. */
function useObjectsOnMap(
  map: MapLibre | undefined,
  live: LiveFleet | undefined,
  names: Names,
  shown: Shown,
  selected: number | undefined,
  isTracked: boolean,
): void {
  useEffect(() => live?.drawn.setSelected(selected), [live, selected])
  // Other objects would hide the track of a day, so only the track's own object stays.
  const bits = isTracked ? 0 : shownBits(shown)
  useEffect(() => live?.drawn.setShown(bits), [live, bits])
  useObjectLabels(map, live, names, shown.names ? { bits, selected } : undefined)
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

function countsOf({ geofences, routes, sites }: Places) {
  return {
    geofences: geofences?.length ?? 0,
    routes: routes?.length ?? 0,
    sites: sites?.length ?? 0,
  }
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
