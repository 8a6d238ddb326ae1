import { useMemo } from 'react'
import { Link } from 'wouter'
import type { OrganizationSummary, Track } from '../api/types.ts'
import { t } from '../language/text.ts'
import { LineWords, lookOf } from '../records/DayItem.tsx'
import { dayLines } from '../records/day-lines.ts'
import type { DayRecord } from '../records/day-records.ts'
import { mapHref } from '../ui/page/map-address.ts'
import { type Day, dayRange } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'

type TodayRecordsProps = {
  organization: OrganizationSummary
  object: number
  day: Day
  records: DayRecord[]
  track: Track | undefined
}

/** How many are shown. The map has all. */
const SHOWN = 10

/** The trips and stops of today, the newest first. Each leads to itself on the map. */
export function TodayRecords({ object, records, ...told }: TodayRecordsProps) {
  const { organization, day } = told
  const [utc] = useUtc()
  const lines = useMemo(() => {
    const all = dayLines(records, dayRange(day, utc)).lines
    return all.filter(({ record }) => record.kind !== 'level').toReversed()
  }, [records, day, utc])
  if (lines.length === 0) return <p className="soft">{t('No trips or stops today.')}</p>
  return (
    <>
      <ol className="today-records">
        {lines.slice(0, SHOWN).map((line) => {
          const { key } = line.record
          return (
            <li key={key}>
              <Link
                className={lookOf(line.record)}
                href={mapHref(organization.id, object, { day, record: key })}
              >
                <LineWords line={line} {...told} />
              </Link>
            </li>
          )
        })}
      </ol>
      {lines.length > SHOWN && (
        <p className="small">
          <Link href={mapHref(organization.id, object, { day })}>
            {t('Show all {{count, number}} trips and stops', { count: lines.length })}
          </Link>
        </p>
      )}
    </>
  )
}
