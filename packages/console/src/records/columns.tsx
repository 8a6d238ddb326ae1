import type { ReactElement, ReactNode } from 'react'
import { Link } from 'wouter'
import type { RecordsOf } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { decimal } from '../ui/format.ts'
import { mapHref } from '../ui/page/map-address.ts'
import type { LongColumn } from '../ui/table/LongTable.tsx'
import { dayOf } from '../ui/time/days.ts'
import { duration } from '../ui/time/duration.ts'
import { Time } from '../ui/time/Time.tsx'
import { distanceText, speedText } from '../ui/units.ts'
import type { RecordKind } from './filters.ts'
import { lostSince, silenceOf } from './record-words.ts'

export type RowOf<Kind extends RecordKind> = RecordsOf[Kind]['items'][number]
export type ColumnsOf<Kind extends RecordKind> = LongColumn<
  RowOf<Kind>,
  keyof RowOf<Kind> & string
>[]

type AnyRow = RowOf<RecordKind>
type Shown = { organization: OrganizationSummary; utc: boolean }

/** The columns of each kind, first those that a dispatcher needs first. */
export function columnsOf<Kind extends RecordKind>(kind: Kind, shown: Shown): ColumnsOf<Kind> {
  return COLUMNS[kind](shown) as unknown as ColumnsOf<Kind>
}

function tripColumns({ organization }: Shown): ColumnsOf<'trips'> {
  const { distance_unit: unit } = organization
  return [
    { by: 'name', name: t('Vehicle'), cell: (row) => vehicle(row, organization) },
    { by: 'start_time', name: t('Start'), leads: true, cell: (row) => moment(row.start_time) },
    { by: 'end_time', name: t('End'), cell: (row) => end(row, organization) },
    {
      by: 'duration',
      name: t('Duration'),
      number: true,
      cell: (row) => silenceOf(row) ?? long(row.duration),
    },
    { by: 'distance', name: t('Distance'), number: true, cell: (row) => far(row.distance, unit) },
    {
      by: 'start_address',
      name: t('From'),
      breaks: true,
      cell: (row) => address(row.start_address),
    },
    { by: 'end_address', name: t('To'), breaks: true, cell: (row) => address(row.end_address) },
    {
      by: 'max_speed',
      name: t('Top speed'),
      number: true,
      cell: (row) => fast(row.max_speed, unit),
    },
    { by: 'idle_time', name: t('Idle'), number: true, cell: (row) => long(row.idle_time) },
  ]
}

function stopColumns({ organization }: Shown): ColumnsOf<'stops'> {
  return [
    { by: 'name', name: t('Vehicle'), cell: (row) => vehicle(row, organization) },
    { by: 'start_time', name: t('Start'), leads: true, cell: (row) => moment(row.start_time) },
    { by: 'end_time', name: t('End'), cell: (row) => end(row, organization) },
    { by: 'duration', name: t('Duration'), number: true, cell: (row) => long(row.duration) },
    { by: 'address', name: t('Address'), breaks: true, cell: (row) => address(row.address) },
    { by: 'idle_time', name: t('Engine on'), number: true, cell: (row) => long(row.idle_time) },
  ]
}

function visitColumns({ organization }: Shown): ColumnsOf<'visits'> {
  const { id, distance_unit: unit } = organization
  return [
    { by: 'name', name: t('Vehicle'), cell: (row) => vehicle(row, organization) },
    {
      by: 'place_name',
      name: t('Place'),
      cell: ({ place_type, place_id, place_name }) => (
        <Link href={`/organizations/${id}/places/${place_type}s/${place_id}`}>
          {place_name ?? t('No. {{placeid}}', { placeid: place_id })}
        </Link>
      ),
    },
    { by: 'start_time', name: t('Arrived'), leads: true, cell: (row) => moment(row.start_time) },
    { by: 'end_time', name: t('Left'), cell: ({ end_time }) => moment(end_time, t('still there')) },
    { by: 'duration', name: t('Duration'), number: true, cell: (row) => long(row.duration) },
    { by: 'distance', name: t('Distance'), number: true, cell: (row) => far(row.distance, unit) },
  ]
}

function levelColumns({ organization }: Shown): ColumnsOf<'levels'> {
  return [
    { by: 'name', name: t('Vehicle'), cell: (row) => vehicle(row, organization) },
    { by: 'start_time', name: t('Start'), leads: true, cell: (row) => moment(row.start_time) },
    { by: 'end_time', name: t('End'), cell: ({ end_time }) => moment(end_time) },
    { by: 'attribute', name: t('Level'), cell: ({ attribute }) => attribute },
    {
      by: 'kind',
      name: t('Type of change'),
      cell: ({ kind, open }) =>
        open ? t('{{kind}}, may still change', { kind: LEVEL_KINDS[kind] }) : LEVEL_KINDS[kind],
    },
    { by: 'amount', name: t('Amount'), number: true, cell: ({ amount }) => decimal(amount) },
    { by: 'before', name: t('Before'), number: true, cell: ({ before }) => decimal(before) },
    { by: 'after', name: t('After'), number: true, cell: ({ after }) => decimal(after) },
    { by: 'address', name: t('Address'), breaks: true, cell: (row) => address(row.address) },
  ]
}

const LEVEL_KINDS = { filled: t('Filled'), drained: t('Drained') } as const

const COLUMNS = {
  trips: tripColumns,
  stops: stopColumns,
  visits: visitColumns,
  levels: levelColumns,
}

/** The map of the day of a record, with the record chosen. */
export function dayHref(
  kind: RecordKind,
  { id, object_id, start_time }: AnyRow,
  { organization, utc }: Shown,
): string {
  const record = `${kind.slice(0, -1)}-${id}`
  return mapHref(organization.id, object_id, { day: dayOf(start_time, utc), record })
}

function vehicle({ object_id, name }: AnyRow, { id }: OrganizationSummary): ReactNode {
  return (
    <Link href={`/organizations/${id}/objects/${object_id}`} title={name}>
      {name}
    </Link>
  )
}

function moment(instant: string | null, none = t('in progress')): ReactElement {
  return <Time value={instant} none={none} quiet />
}

function end(row: RowOf<'trips' | 'stops'>, organization: OrganizationSummary): ReactNode {
  const since = lostSince(row, organization)
  return since === null ? (
    moment(row.end_time)
  ) : (
    <Phrase text="No signal since <time />" parts={{ time: moment(since) }} />
  )
}

function long(seconds: number): string {
  return seconds === 0 ? '' : duration(seconds * 1_000)
}

function far(distance: number | null, unit: 'km' | 'mi'): string {
  return distance === null ? '' : distanceText(distance, unit, 2)
}

function fast(speed: number | null, unit: 'km' | 'mi'): string {
  return speed === null ? '' : speedText(speed, unit)
}

function address(text: string | null): ReactNode {
  return text === null ? (
    ''
  ) : (
    <span className="address" title={text}>
      {text}
    </span>
  )
}
