import { useEffect, useRef } from 'react'
import { recordWithoutSignalSince } from '../../../server/src/base/domain/record.ts'
import { useObject } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { decimal, utcDay } from '../ui/format.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import type { Day } from '../ui/time/days.ts'
import { duration } from '../ui/time/duration.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { Deriving } from './Deriving.tsx'
import { type DayRecord, useDayRecords } from './day-records.ts'
import { momentOn } from './moment-on.ts'
import './DayList.css'

type DayListProps = {
  organization: OrganizationSummary
  object: number
  day: Day
  /** The key of the record that the map shows. */
  chosen: string | null
  onChoose(key: string | null): void
}

/** The trips, stops and visits of an object on a day. A click on one zooms the map to it. */
export function DayList({ organization, object, day, chosen, onChoose }: DayListProps) {
  const [utc] = useUtc()
  const records = useDayRecords(organization.id, object, day, utc)
  const name = useObject(organization.id, object).data?.name ?? t('Object {{object}}', { object })
  return (
    <section className="day-list" aria-labelledby="day-list-name">
      <header>
        <h2 id="day-list-name">{name}</h2>
        <p className="soft small">{utcDay(day, { dateStyle: 'full' })}</p>
      </header>
      <Loaded query={records} lines={6}>
        {({ records: all, isDerived }) => (
          <>
            {!isDerived && <Deriving />}
            {isDerived && all.length === 0 && (
              <p className="soft">{t('No trips, stops or visits on this day.')}</p>
            )}
            <ol>
              {all.map((record) => (
                <Item
                  key={record.key}
                  record={record}
                  day={day}
                  organization={organization}
                  isChosen={record.key === chosen}
                  onChoose={onChoose}
                />
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </section>
  )
}

type ItemProps = Pick<DayListProps, 'organization' | 'day' | 'onChoose'> & {
  record: DayRecord
  isChosen: boolean
}

function Item({ record, organization, day, isChosen, onChoose }: ItemProps) {
  const [utc] = useUtc()
  const button = useRef<HTMLButtonElement>(null)
  // A record that is chosen on the map may be outside of the visible part of the list.
  useEffect(() => {
    if (isChosen) button.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  const { start_time, end_time, duration: length } = record.row
  const { distance_unit: unit, signal_timeout_hours: hours } = organization
  // The duration of a visit ends with its last position inside, so it does not show when the newest position came.
  const since =
    record.kind === 'visit' || record.kind === 'level'
      ? null
      : recordWithoutSignalSince(record.row, Date.now(), hours)
  const now =
    since === null ? 'now' : t('no signal since {{since}}', { since: momentOn(since, day, utc) })
  const end = end_time === null ? now : momentOn(end_time, day, utc)
  return (
    <li>
      <button
        ref={button}
        type="button"
        className={`day-record day-${record.kind}`}
        aria-pressed={isChosen}
        onClick={() => onChoose(isChosen ? null : record.key)}
      >
        <span className="day-record-head">
          <strong>{titleOf(record, unit)}</strong>
          <span>{duration(length * 1_000)}</span>
        </span>
        <span className="soft small">
          {momentOn(start_time, day, utc)} – {end}
        </span>
        <span className="small">{placesOf(record)}</span>
      </button>
    </li>
  )
}

function titleOf(record: DayRecord, unit: 'km' | 'mi'): string {
  if (record.kind === 'stop') return t('Stop')
  if (record.kind === 'level') {
    const { kind, attribute, amount } = record.row
    return `${kind === 'filled' ? t('Filled') : t('Drained')}, ${attribute} ${decimal(amount)}`
  }
  const { distance } = record.row
  const far = distance === null ? '' : `, ${decimal(distance, 2)} ${unit}`
  if (record.kind === 'trip')
    return `${record.row.silent_time > 0 ? t('Silent trip') : t('Trip')}${far}`
  return t('Visit, {{placename}}', {
    placename: record.row.place_name ?? `${record.row.place_type} ${record.row.place_id}`,
  })
}

function placesOf(record: DayRecord): string {
  if (record.kind === 'visit') return ''
  if (record.kind === 'stop' || record.kind === 'level') {
    const { address, idle_time } = record.row
    const idle =
      idle_time === 0
        ? []
        : [t('engine on for {{idletime}}', { idletime: duration(idle_time * 1_000) })]
    return [...(address === null ? [] : [address]), ...idle].join(', ')
  }
  const { start_address: from, end_address: to } = record.row
  return from === null && to === null ? '' : `${from ?? '…'} → ${to ?? '…'}`
}
