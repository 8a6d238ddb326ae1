import type { Map as MapLibre } from 'maplibre-gl'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useAllPlaces } from '../api/queries.ts'
import type { OrganizationSummary, Server } from '../api/types.ts'
import { t } from '../language/text.ts'
import { useAddress } from '../ui/page/address.ts'
import { trackedIn } from '../ui/page/map-address.ts'
import { type Day, dayOf } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { lastCamera } from './base/last-camera.ts'
import { NoWebGl } from './base/NoWebGl.tsx'
import { useMap } from './base/use-map.ts'
import { seenOf } from './fleet/seen.ts'
import { Legend } from './Legend.tsx'
import { type Names, namesOf } from './labels/names.ts'
import { useObjectLabels } from './labels/use-object-labels.ts'
import type { LiveFleet, StreamState } from './layer/live-fleet.ts'
import { useFollowing } from './layer/use-following.ts'
import { useFromLive, useLiveFleet } from './layer/use-live-fleet.ts'
import { usePicking } from './layer/use-picking.ts'
import { layersOf, layersText } from './layers.ts'
import { useListed } from './list/use-listed.ts'
import { VehicleList } from './list/VehicleList.tsx'
import { ObjectCard } from './ObjectCard.tsx'
import { usePlacesOnMap } from './places/use-places-on-map.ts'
import { DayTrack } from './track/DayTrack.tsx'
import { fitFleet, flyTo, useCamera } from './use-camera.ts'
import './LiveMap.css'

export type LiveMapProps = {
  organization: OrganizationSummary
  server: Server
  /** The list of a day, in place of the list of vehicles. */
  dayList?: ReactNode
}

/**
 * The vehicles of an organization on a map, updated as packets come in. A grid of areas, which LiveMap.css arranges:
 *
 * - `side`: the list of vehicles, or `dayList` while the address has a day.
 * - `stage`: the map, with its controls on it.
 * - `below`: the chart of the day, below the map. Empty without a day.
 *
 * The card of the selected vehicle is on the stage, and on a narrow screen a sheet over the side.
 */
export function LiveMap({ organization, server, dayList }: LiveMapProps) {
  const container = useRef<HTMLDivElement>(null)
  const camera = useMemo(() => lastCamera(organization.id), [organization.id])
  const { map, failed } = useMap(
    container,
    t('Map of {{name}}', { name: organization.name }),
    server,
    organization.distance_unit,
    { camera },
  )
  const live = useLiveFleet(map, organization.id)
  const { selected, day, following, select, follow } = useSelection()
  const [address, change] = useAddress()
  const layersOfAddress = address.get('layers')
  const layers = useMemo(() => layersOf(layersOfAddress), [layersOfAddress])
  /** The object that was clicked on the map, which therefore is in view. */
  const pointed = useRef<number>(undefined)
  const places = useAllPlaces(organization.id)
  const names = useNames(live, organization.id)
  const listed = useListed(live, names, organization.id)
  const isTracked = day !== undefined

  usePlacesOnMap(map, places, layers)
  usePicking(map, live, (id) => {
    pointed.current = id
    select(id)
  })
  useFollowing(map, live, following ? selected : undefined)
  useCamera(map, live, { organization: organization.id, places, selected, isTracked, pointed })
  // Other objects would hide the track of a day, so only the track's own object stays.
  const bits = isTracked ? 0 : listed.bits
  useEffect(() => live?.drawn.setSelected(selected), [live, selected])
  useEffect(() => live?.drawn.setShown(bits), [live, bits])
  useObjectLabels(map, live, names, layers.names ? { bits, selected } : undefined)

  return (
    <div className="fleetmap">
      <div className="fleetmap-side">
        {dayList ?? (
          <VehicleList
            organization={organization}
            live={live}
            names={names}
            places={places}
            listed={listed}
            selected={selected}
            onSelect={(id) => {
              if (id !== selected) select(id)
              else if (map !== undefined && live !== undefined) flyTo(map, live, id)
            }}
          />
        )}
      </div>
      <div className="fleetmap-stage">
        <div ref={container} className="fleetmap-canvas" />
        {failed && (
          <NoWebGl instead={t('Turn on graphics acceleration in its settings, or use the list.')} />
        )}
        {!failed && (
          <>
            <div className="fleetmap-corner">
              <FitButton map={map} live={live} bits={listed.bits} />
              <StreamNotice live={live} />
            </div>
            <Legend
              server={server}
              layers={layers}
              onLayers={(next) => change({ layers: layersText(next) })}
              track={isTracked ? organization.distance_unit : undefined}
            />
          </>
        )}
      </div>
      {selected !== undefined && (
        <SelectedObject
          organization={organization}
          id={selected}
          day={day}
          map={map}
          live={live}
          following={following}
          onFollow={follow}
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
}

/** The card of an object, or its track on a day. */
function SelectedObject(props: SelectedObjectProps) {
  const { organization, id, day, map, live, following, onFollow } = props
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
      onDay={() => {
        const seen = live && seenOf(live.fleet, id)
        change({ day: dayOf(seen?.time ?? Date.now(), utc) })
      }}
      onClose={deselect}
    />
  )
}

type FitButtonProps = { map: MapLibre | undefined; live: LiveFleet | undefined; bits: number }

function FitButton({ map, live, bits }: FitButtonProps) {
  const isSeen = useFromLive(live, 250, ({ fleet }) => fleet.size > 0) ?? false
  return (
    <button
      type="button"
      className="fleetmap-panel"
      disabled={!isSeen}
      onClick={() => map !== undefined && live !== undefined && fitFleet(map, live, bits)}
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
  empty: t('No vehicle has sent a position yet. Vehicles appear here with their first position.'),
}

/** The names of objects, asked for again when settings change. */
function useNames(live: LiveFleet | undefined, organization: number): Names {
  const names = useMemo(() => namesOf(organization), [organization])
  useEffect(() => live?.onSettings(names.list.outdate), [live, names])
  return names
}
