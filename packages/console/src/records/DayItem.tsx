import { type ReactNode, useEffect, useRef } from 'react'
import type { OrganizationSummary, Track } from '../api/types.ts'
import { t } from '../language/text.ts'
import type { Day } from '../ui/time/days.ts'
import { duration } from '../ui/time/duration.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { distanceText, speedText } from '../ui/units.ts'
import type { DayLine, VisitRecord } from './day-lines.ts'
import type { DayRecord } from './day-records.ts'
import { driversOf } from './drivers.ts'
import { levelWords } from './level-words.ts'
import { momentOn } from './moment-on.ts'
import { lostSince, silenceOf } from './record-words.ts'
import './DayList.css'

type Report = {
  organization: OrganizationSummary
  day: Day
  /** Undefined while it loads. It has the driver, and the units of levels. */
  track: Track | undefined
}

type Shown = Report & {
  chosen: string | null
  onChoose(key: string | null): void
}

/** A trip, a stop or a change of a level, with the visits that happened in it. */
export function DayItem({ line, ...shown }: Shown & { line: DayLine }) {
  const { record, visits } = line
  return (
    <li>
      <RecordButton {...shown} record={record}>
        <LineWords line={line} {...shown} />
      </RecordButton>
      {visits.map((visit) => (
        <VisitButton key={visit.key} {...shown} visit={visit} />
      ))}
    </li>
  )
}

/** Reports a trip, a stop or a change of a level, here and on the page of its vehicle. */
export function LineWords({ line, ...report }: Report & { line: DayLine }) {
  return (
    <>
      <Title line={line} track={report.track} />
      <Times record={line.record} {...report} />
      <Details line={line} {...report} />
    </>
  )
}

/** A quiet line. */
export function VisitButton({
  visit,
  isAllDay = false,
  ...shown
}: Shown & { visit: VisitRecord; isAllDay?: boolean }) {
  const place = visit.row.place_name ?? t('Deleted place')
  return (
    <RecordButton {...shown} record={visit}>
      {isAllDay ? (
        <span>{t('In {{place}} all day', { place })}</span>
      ) : (
        <>
          <span>{t('In {{place}}', { place })}</span> <Times record={visit} {...shown} />
        </>
      )}
    </RecordButton>
  )
}

type RecordButtonProps = Pick<Shown, 'chosen' | 'onChoose'> & {
  record: DayRecord
  children: ReactNode
}

function RecordButton({ record, chosen, onChoose, children }: RecordButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  const isChosen = record.key === chosen
  // A record that is chosen on the map may be outside of the visible part of the list.
  useEffect(() => {
    if (isChosen) button.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <button
      ref={button}
      type="button"
      className={lookOf(record)}
      aria-pressed={isChosen}
      onClick={() => onChoose(isChosen ? null : record.key)}
    >
      {children}
    </button>
  )
}

export function lookOf(record: DayRecord): string {
  const isSilent = record.kind === 'trip' && silenceOf(record.row) !== null
  return `day-record day-${isSilent ? 'silent' : record.kind}`
}

function Title({ line, track }: { line: DayLine } & Pick<Report, 'track'>) {
  const { record } = line
  const long = duration(record.row.duration * 1_000)
  if ('number' in line) {
    const { number, place } = line
    return (
      <span className="day-record-head">
        {number !== null && (
          <span className="day-number" aria-hidden="true">
            {number}
          </span>
        )}
        {place !== null && number !== null && (
          <span className="visually-hidden">{t('Stop {{number}}:', { number })} </span>
        )}
        <strong>{place ?? t('Stop')}</strong> <span>{long}</span>
      </span>
    )
  }
  if ('from' in line) {
    const { from, to } = line
    const silence = silenceOf(line.record.row)
    if (silence !== null) return <strong>{silence}</strong>
    const isNamed = from !== null || to !== null
    return (
      <span className="day-record-head">
        {isNamed && <span className="visually-hidden">{t('Trip:')} </span>}
        <strong>{isNamed ? `${from ?? '…'} → ${to ?? '…'}` : t('Trip')}</strong> <span>{long}</span>
      </span>
    )
  }
  return <strong>{levelWords(line.record.row, track?.attributes ?? []).title}</strong>
}

/** When a record began and ended. */
function Times({ record, organization, day }: { record: DayRecord } & Report) {
  const [utc] = useUtc()
  const { start_time, end_time } = record.row
  const start = momentOn(start_time, day, utc)
  // The duration of a visit ends with its last position inside, so it does not show when the newest position came.
  const since =
    record.kind === 'visit' || record.kind === 'level' ? null : lostSince(record.row, organization)
  const now =
    since === null ? t('now') : t('no signal since {{since}}', { since: momentOn(since, day, utc) })
  const end = end_time === null ? now : momentOn(end_time, day, utc)
  return (
    <span className="soft small">
      {start} – {end}
    </span>
  )
}

function Details({ line, organization, track }: { line: DayLine } & Report) {
  const parts = detailsOf(line, organization.distance_unit, track).filter((part) => part !== null)
  return parts.length === 0 ? null : <span className="small">{parts.join(' · ')}</span>
}

function detailsOf(
  { record, ...line }: DayLine,
  unit: 'km' | 'mi',
  track: Track | undefined,
): (string | null)[] {
  if (record.kind === 'level') {
    return [levelWords(record.row, track?.attributes ?? []).range, record.row.address]
  }
  if (record.kind === 'stop') {
    const { idle_time, address } = record.row
    const idle = idle_time < 60 ? null : duration(idle_time * 1_000)
    return [
      'place' in line && line.place === address ? null : address,
      idle && t('engine on for {{idletime}}', { idletime: idle }),
    ]
  }
  const { distance, max_speed, silent_time } = record.row
  const drivers = track === undefined ? [] : driversOf(track, record.row)
  const speed = max_speed === null || silent_time > 0 ? null : speedText(max_speed, unit)
  return [
    distance === null ? null : distanceText(distance, unit, 2),
    speed && t('up to {{speed}}', { speed }),
    drivers.length === 0 ? null : drivers.join(', '),
  ]
}
