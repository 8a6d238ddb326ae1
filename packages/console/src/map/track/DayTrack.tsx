import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useId, useMemo } from 'react'
import type { OrganizationSummary, Track } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { type DayRecord, useDayRecords } from '../../records/day-records.ts'
import { useTrack } from '../../records/use-track.ts'
import { sentenceOf } from '../../ui/state/Problem.tsx'
import { besideDay, type Day, dayOf, dayRange, isDay } from '../../ui/time/days.ts'
import { duration } from '../../ui/time/duration.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { CloseButton } from '../CloseButton.tsx'
import { TrackPlayer } from './TrackPlayer.tsx'
import { continuedTrack } from './track.ts'

type Props = {
  organization: OrganizationSummary
  object: number
  map: MapLibre | undefined
  day: Day
  /** The key of the record that the map shows. */
  chosen: string | null
  onChoose(key: string | null): void
  /** `replace`: while a day is typed, which makes no entries in the history. */
  onDay(day: Day, options?: { replace: boolean }): void
  onClose(): void
}

const NO_RECORDS: DayRecord[] = []

/** The track of an object on one day. */
export function DayTrack(props: Props) {
  const { organization, object, map, day, chosen, onChoose, onDay, onClose } = props
  const [utc] = useUtc()
  const today = dayOf(Date.now(), utc)
  const { from } = dayRange(day, utc)
  const track = useTrack(organization.id, object, day)
  const continued = useMemo(() => track.data && continuedTrack(track.data), [track.data])
  const records = useDayRecords(organization.id, object, day, utc).data?.records

  return (
    <section
      className="fleetmap-track fleetmap-panel"
      aria-label={t('Day’s track')}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <header>
        <h2>{t('Day’s track')}</h2>
        <DayField day={day} today={today} onDay={onDay} />
        {track.data !== undefined && track.data.points.length > 0 && (
          <Summary track={track.data} unit={organization.distance_unit} />
        )}
        <CloseButton label={t('Close the track')} onPress={onClose} />
      </header>
      {track.isPending && <p role="status">{t('Loading the track…')}</p>}
      {track.isError && (
        <div role="alert" className="fleetmap-problem">
          <p>{sentenceOf(track.error)}</p>
          <button type="button" onClick={() => track.refetch()}>
            {t('Try again')}
          </button>
        </div>
      )}
      {track.data?.points.length === 0 && (
        <p role="status">
          {t('No positions on this day. Choose another one, or go back a day with the arrow.')}
        </p>
      )}
      {track.data !== undefined && track.data.points.length > 0 && (
        <TrackPlayer
          key={`${object} ${from}`}
          track={continued!}
          records={records ?? NO_RECORDS}
          chosen={chosen}
          onChoose={onChoose}
          unit={organization.distance_unit}
          map={map}
        />
      )}
    </section>
  )
}

/** It takes the focus when it opens. */
function DayField({ day, today, onDay }: Pick<Props, 'day' | 'onDay'> & { today: Day }) {
  const id = useId()
  useEffect(() => document.getElementById(id)?.focus({ preventScroll: true }), [id])
  return (
    <div className="fleetmap-days">
      <button type="button" aria-label={t('Day before')} onClick={() => onDay(besideDay(day, -1))}>
        ‹
      </button>
      <label htmlFor={id} className="fleetmap-hidden">
        {t('Day')}
      </label>
      <input
        id={id}
        type="date"
        max={today}
        value={day}
        onChange={({ target }) => isDay(target.value) && onDay(target.value, { replace: true })}
      />
      <button
        type="button"
        aria-label={t('Day after')}
        disabled={day >= today}
        onClick={() => onDay(besideDay(day, 1))}
      >
        ›
      </button>
    </div>
  )
}

function Summary({ track, unit }: { track: Track; unit: 'km' | 'mi' }) {
  return (
    <p className="fleetmap-drive">
      {track.distance.toLocaleString(undefined, { maximumFractionDigits: 1 })} {unit} ·{' '}
      {duration(track.moving_seconds * 1000)} moving · {duration(track.idle_seconds * 1000)} idle ·{' '}
      {track.positions.toLocaleString()} positions
      {track.truncated && ' · more than can be shown: the first part of the day'}
    </p>
  )
}
