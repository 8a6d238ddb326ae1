import { useQuery } from '@tanstack/react-query'
import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useId, useState } from 'react'
import { get } from '../api/client.ts'
import type { OrganizationSummary, Track } from '../api/types.ts'
import { besideDay, type Day, dayOf, dayRange, isDay } from '../ui/days.ts'
import { sentenceOf } from '../ui/Problem.tsx'
import { useUtc } from '../ui/time-zone.ts'
import { TrackPlayer } from './TrackPlayer.tsx'

type Props = {
  organization: OrganizationSummary
  object: number
  map: MapLibre | undefined
  /** The day of the object's last fix, which is shown first. */
  lastSeen: number | undefined
  onClose(): void
}

/** The track of an object on one day. */
export function DayTrack({ organization, object, map, lastSeen, onClose }: Props) {
  const id = useId()
  const [utc] = useUtc()
  const [day, setDay] = useState<Day>(() => dayOf(lastSeen ?? Date.now(), utc))
  const today = dayOf(Date.now(), utc)
  const { from, to } = dayRange(day, utc)
  const track = useQuery({
    queryKey: ['map', organization.id, 'object', object, 'track', from, to],
    queryFn: ({ signal }) =>
      get<Track>(
        `/organizations/${organization.id}/objects/${object}/track?from=${from}&to=${to}`,
        signal,
      ),
    staleTime: day >= today ? 30_000 : Number.POSITIVE_INFINITY,
  })
  const field = `${id}-day`
  useEffect(() => document.getElementById(field)?.focus({ preventScroll: true }), [field])

  return (
    <section
      className="fleetmap-track fleetmap-panel"
      aria-label="Day’s track"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header>
        <h2>Day’s track</h2>
        <div className="fleetmap-days">
          <button type="button" aria-label="Day before" onClick={() => setDay(besideDay(day, -1))}>
            ‹
          </button>
          <label htmlFor={field} className="fleetmap-hidden">
            Day
          </label>
          <input
            id={field}
            type="date"
            max={today}
            value={day}
            onChange={(event) => isDay(event.target.value) && setDay(event.target.value)}
          />
          <button
            type="button"
            aria-label="Day after"
            disabled={day >= today}
            onClick={() => setDay(besideDay(day, 1))}
          >
            ›
          </button>
        </div>
        <button
          type="button"
          className="fleetmap-close"
          aria-label="Close the track"
          onClick={onClose}
        >
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M3 3 13 13M13 3 3 13" stroke="currentColor" strokeWidth="2" />
          </svg>
        </button>
      </header>
      {track.isPending && <p role="status">Loading the track…</p>}
      {track.isError && (
        <div role="alert" className="fleetmap-problem">
          <p>{sentenceOf(track.error)}</p>
          <button type="button" onClick={() => track.refetch()}>
            Try again
          </button>
        </div>
      )}
      {track.data?.points.length === 0 && (
        <p role="status">
          No positions on this day. Choose another one, or go back a day with the arrow.
        </p>
      )}
      {track.data !== undefined && track.data.points.length > 0 && (
        <TrackPlayer
          key={`${object} ${from} ${to}`}
          track={track.data}
          unit={organization.distance_unit}
          map={map}
        />
      )}
    </section>
  )
}
