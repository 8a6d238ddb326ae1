import { useMemo } from 'react'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Figures } from '../ui/Figures.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Skeleton } from '../ui/state/Skeleton.tsx'
import { type Day, dayRange } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { DayHead } from './DayHead.tsx'
import { DayItem, VisitButton } from './DayItem.tsx'
import { Deriving } from './Deriving.tsx'
import { dayLines } from './day-lines.ts'
import { type DayRecord, useDayRecords } from './day-records.ts'
import { dayTotals } from './day-totals.ts'
import { useTrack } from './use-track.ts'

type DayListProps = {
  organization: OrganizationSummary
  object: number
  day: Day
  /** The key of the record that the map shows. */
  chosen: string | null
  onChoose(key: string | null): void
}

/** The day of an object by time. A click on a trip, a stop or a visit shows it alone on the map. */
export function DayList(props: DayListProps) {
  const { organization, object, day } = props
  const [utc] = useUtc()
  const records = useDayRecords(organization.id, object, day, utc)
  return (
    <section className="day-list" aria-labelledby="day-list-name">
      <DayHead organization={organization} object={object} day={day} id="day-list-name" />
      <Loaded query={records} lines={6}>
        {({ records: all, isDerived }) => (
          <>
            {!isDerived && <Deriving />}
            {isDerived && all.length === 0 ? (
              <p className="soft">{t('No trips, stops or visits on this day.')}</p>
            ) : (
              <Lines key={day} {...props} records={all} />
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

type LinesProps = DayListProps & { records: readonly DayRecord[] }

function Lines({ organization, object, day, chosen, onChoose, records }: LinesProps) {
  const [utc] = useUtc()
  const { data: track, isPending } = useTrack(organization.id, object, day)
  const { lines, allDay, shortStops } = useMemo(
    () => dayLines(records, dayRange(day, utc)),
    [records, day, utc],
  )
  // The totals would push a chosen record out of sight.
  if (isPending) return <Skeleton lines={6} />
  const shown = { organization, day, track, chosen, onChoose }
  return (
    <>
      {track !== undefined && track.points.length > 0 && (
        <Figures className="day-totals" items={dayTotals(track, records, organization)} />
      )}
      {track?.truncated && (
        <p className="soft small">
          {t('The map and the chart show the first {{count, number}} positions of this day.', {
            count: track.points.length,
          })}
        </p>
      )}
      {allDay.map((visit) => (
        <VisitButton key={visit.key} {...shown} visit={visit} isAllDay />
      ))}
      <ol>
        {lines.map((line) => (
          <DayItem key={line.record.key} {...shown} line={line} />
        ))}
      </ol>
      {shortStops.length > 0 && (
        <details className="day-short" open={shortStops.some(({ key }) => key === chosen)}>
          <summary>{t('{{count, number}} short stops', { count: shortStops.length })}</summary>
          <ol>
            {shortStops.map((record) => (
              <DayItem
                key={record.key}
                {...shown}
                line={{ record, number: null, place: record.row.address, visits: [] }}
              />
            ))}
          </ol>
        </details>
      )}
    </>
  )
}
