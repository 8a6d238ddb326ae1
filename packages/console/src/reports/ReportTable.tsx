import { keepPreviousData } from '@tanstack/react-query'
import { useMemo } from 'react'
import { PREFIX } from '../api/client.ts'
import type { Attribute, DayTotals, OrganizationSummary } from '../api/types.ts'
import { useAnswer } from '../api/use-answer.ts'
import { t } from '../language/text.ts'
import { Exports } from '../ui/Exports.tsx'
import { Figures } from '../ui/Figures.tsx'
import { count, decimal, utcDay } from '../ui/format.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type LongColumn, LongTable } from '../ui/table/LongTable.tsx'
import { useSortedRows } from '../ui/table/use-sorted-rows.ts'
import { duration } from '../ui/time/duration.ts'
import type { Range } from './ranges.ts'

export type Report = Range & {
  /** Empty: all. */
  objects: readonly number[]
  group: 'object' | 'date' | 'by'
  /** The attribute of the group `by`. */
  by: Attribute | null
  levels: readonly Attribute[]
}

type Row = Readonly<Record<string, string | number | null>> & { id: number }

type ReportTableProps = {
  organization: OrganizationSummary
  report: Report
  /** Whether the attributes are known, of which the columns are. */
  isReady: boolean
  /** Whether all of its days are. */
  isOver: boolean
}

/** The totals of a report, and the same rows as a file. */
export function ReportTable({ organization, report, isReady, isOver }: ReportTableProps) {
  const path = `/organizations/${organization.id}`
  const selection = selectionOf(report)
  const totals = useAnswer<DayTotals>(
    ['organization', organization.id, 'day-totals', selection],
    `${path}/day-totals?${selection}`,
    {
      enabled: isReady,
      // Late packets may still change days that are over, so another visit asks again.
      everyMs: isOver ? false : 60_000,
      placeholderData: keepPreviousData,
    },
  )
  return (
    <Loaded
      query={totals}
      lines={8}
      none={
        <Empty title={t('No data on these days')}>
          {t('No vehicle sent a position. Choose other days or vehicles.')}
        </Empty>
      }
    >
      {({ items }) => (
        <>
          <div className="row between">
            <Figures items={sumsOf(items as Row[], organization, report)} />
            <Exports
              formats={['XLSX', 'CSV']}
              href={(ending) => `${PREFIX}${path}/day-totals.${ending}?${selection}`}
            />
          </div>
          <Sorted organization={organization} report={report} items={items} />
          <p className="soft small">
            <a href={`${PREFIX}${path}/days.xlsx?${daysOf(report)}`} download>
              {t('Export daily rows')}
            </a>
          </p>
        </>
      )}
    </Loaded>
  )
}

function selectionOf(report: Report): string {
  return `${daysOf(report)}&group=${report.group}`
}

function daysOf({ from, to, objects, by, levels }: Report): string {
  const query = new URLSearchParams({ from_date: from, to_date: to })
  if (objects.length > 0) query.set('ids', objects.join())
  if (by !== null) query.set('by', by.name)
  if (levels.length > 0) query.set('attributes', levels.map(({ name }) => name).join())
  return String(query)
}

type SortedProps = Pick<ReportTableProps, 'organization' | 'report'> & Pick<DayTotals, 'items'>

function Sorted({ organization, report, items }: SortedProps) {
  const columns = columnsOf(organization, report)
  const rows = useMemo(() => items.map((row, id) => ({ ...row, id }) as Row), [items])
  const toVehicle = ({ object_id }: Row) => `/organizations/${organization.id}/objects/${object_id}`
  return (
    <LongTable
      {...useSortedRows<Row, string>(rows, columns, { by: columns[0]!.by, descending: false })}
      label={t('Report')}
      rowKey={({ id }) => id}
      href={report.group === 'object' ? toVehicle : undefined}
    />
  )
}

function columnsOf(organization: OrganizationSummary, report: Report): LongColumn<Row, string>[] {
  return [
    nameOf(report),
    ...(report.group === 'date' ? [] : [amount('days', t('Days'), count)]),
    ...amountsOf(organization, report),
  ]
}

function nameOf({ group, by }: Report): LongColumn<Row, string> {
  if (group === 'date') {
    return { by: 'date', name: t('Day'), cell: ({ date }) => utcDay(String(date)) }
  }
  if (group === 'object') return { by: 'name', name: t('Vehicle'), cell: ({ name }) => name }
  const none = t('None')
  return { by: 'value', name: by!.label, cell: ({ value }) => value ?? none }
}

/** The amounts of a row, which can be added. Hours are those with the engine on. */
function amountsOf({ distance_unit: unit }: OrganizationSummary, { levels }: Report) {
  const long = (seconds: number) => duration(seconds * 1_000)
  return [
    amount('moving_time', t('Driving'), long),
    amount('idle_time', t('Idle'), long),
    amount('distance', t('Distance'), (value) => `${decimal(value)} ${unit}`),
    amount('trips', t('Trips'), count),
    ...levels.flatMap(({ name, label, unit }) => {
      const shown = (value: number) => `${decimal(value)} ${unit ?? ''}`
      return [
        amount(`${name}__used`, t('{{label}} used', { label }), shown),
        amount(`${name}__filled`, t('{{label}} filled', { label }), shown),
      ]
    }),
  ]
}

type Amount = LongColumn<Row, string> & { write: (value: number) => string }

function amount(by: string, name: string, write: (value: number) => string): Amount {
  const cell = (row: Row) => (typeof row[by] === 'number' ? write(row[by]) : '')
  return { by, name, number: true, cell, write }
}

/** The totals of all rows. */
function sumsOf(rows: readonly Row[], organization: OrganizationSummary, report: Report) {
  return amountsOf(organization, report).map(({ by, name, write }) => {
    const sum = rows.reduce((before, row) => before + Number(row[by] ?? 0), 0)
    return [name, write(sum)] as const
  })
}
