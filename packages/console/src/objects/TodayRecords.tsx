import { Link } from 'wouter'
import { recordWithoutSignalSince } from '../../../server/src/base/domain/record.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import type { DayRecord } from '../records/day-records.ts'
import { momentOn } from '../records/moment-on.ts'
import { isShortStop } from '../records/stop-numbers.ts'
import type { Day } from '../ui/time/days.ts'
import { duration } from '../ui/time/duration.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { distanceText } from '../ui/units.ts'

type TodayRecordsProps = { organization: OrganizationSummary; day: Day; records: DayRecord[] }
type TripOrStop = Extract<DayRecord, { kind: 'trip' | 'stop' }>

/** How many are shown. The map has all. */
const SHOWN = 10

/** The trips and stops of today, the newest first. Each leads to itself on the map. */
export function TodayRecords({ organization, day, records }: TodayRecordsProps) {
  const all = records
    .filter((each): each is TripOrStop => isTripOrStop(each) && !isShortStop(each))
    .toReversed()
  if (all.length === 0) return <p className="soft">{t('No trips or stops today.')}</p>
  const base = `/organizations/${organization.id}/map`
  const { object_id } = all[0]!.row
  return (
    <>
      <ol className="today-records">
        {all.slice(0, SHOWN).map((record) => (
          <li key={record.key}>
            <Link href={`${base}?object=${object_id}&day=${day}&record=${record.key}`}>
              <Line record={record} organization={organization} day={day} />
            </Link>
          </li>
        ))}
      </ol>
      {all.length > SHOWN && (
        <p className="small">
          <Link href={`${base}?object=${object_id}&day=${day}`}>
            {t('Show all {{count, number}} trips and stops', { count: all.length })}
          </Link>
        </p>
      )}
    </>
  )
}

function isTripOrStop({ kind }: DayRecord): boolean {
  return kind === 'trip' || kind === 'stop'
}

type LineProps = Pick<TodayRecordsProps, 'organization' | 'day'> & { record: TripOrStop }

function Line({ record, organization, day }: LineProps) {
  const [utc] = useUtc()
  const { distance_unit: unit, signal_timeout_hours: hours } = organization
  const { start_time, end_time, duration: length } = record.row
  const since = recordWithoutSignalSince(record.row, Date.now(), hours)
  const end = end_time ?? since
  return (
    <>
      <span className={`today-kind today-${record.kind}`} aria-hidden="true" />
      <span className="today-time">
        {momentOn(start_time, day, utc)} – {end === null ? t('now') : momentOn(end, day, utc)}
      </span>
      <span className="today-what">
        <strong>{titleOf(record, unit)}</strong> <span className="soft">{placeOf(record)}</span>
      </span>
      <span className="today-length">{duration(length * 1_000)}</span>
    </>
  )
}

function titleOf(record: TripOrStop, unit: 'km' | 'mi'): string {
  if (record.kind === 'stop') return t('Stop')
  const { silent_time: silent, distance } = record.row
  if (silent > 0) return t('Signal lost for {{time}}', { time: duration(silent * 1_000) })
  return distance === null
    ? t('Trip')
    : t('Trip, {{distance}}', { distance: distanceText(distance, unit) })
}

function placeOf(record: TripOrStop): string {
  if (record.kind === 'stop') return record.row.address ?? ''
  return record.row.end_address ?? ''
}
