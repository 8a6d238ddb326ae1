import { type ReactNode, useMemo } from 'react'
import type { SheetColumn } from '../../../client/src/pull/files/workbook.ts'
import { PREFIX } from '../api/prefix.ts'
import type { Attribute, DayTotals, OrganizationSummary } from '../api/types.ts'
import { useAnswer } from '../api/use-answer.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Exports } from '../ui/Exports.tsx'
import { Figures } from '../ui/Figures.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { count, decimal, utcDay } from '../ui/format.ts'
import { Icon } from '../ui/Icon.tsx'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { type LongColumn, LongTable } from '../ui/table/LongTable.tsx'
import { useSortedRows } from '../ui/table/use-sorted-rows.ts'
import { duration } from '../ui/time/duration.ts'
import type { Range } from './ranges.ts'
import { saveSheet } from './spreadsheet.ts'

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
  /** Whether all of its days are. */
  isOver: boolean
}

/** The totals of a report, and the same rows as a file. */
export function ReportTable({ organization, report, isOver }: ReportTableProps) {
  const path = `/organizations/${organization.id}`
  const selection = selectionOf(report)
  const totals = useAnswer<DayTotals>(
    ['organization', organization.id, 'day-totals', selection],
    `${path}/day-totals?${selection}`,
    {
      // Late packets may still change days that are over, so another visit asks again.
      everyMs: isOver ? false : 60_000,
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
          <Sorted organization={organization} report={report} items={items}>
            <Exports
              formats={['CSV']}
              href={(ending) => `${PREFIX}${path}/day-totals.${ending}?${selection}`}
            />
          </Sorted>
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

type SortedProps = Pick<ReportTableProps, 'organization' | 'report'> &
  Pick<DayTotals, 'items'> & { children: ReactNode }

/** The rows, with their sums, and as a spreadsheet of the same columns in the same order. */
function Sorted({ organization, report, items, children }: SortedProps) {
  const columns = columnsOf(organization, report)
  const all = useMemo(() => items.map((row, id) => ({ ...row, id }) as Row), [items])
  const table = useSortedRows<Row, string>(all, columns, {
    by: columns[0]!.by,
    descending: false,
  })
  const save = useSaving({
    request: () =>
      saveSheet(
        `${t('Report')} ${report.from} ${report.to}`,
        columns.map(({ name, unit, type }) => ({ name: unit ? `${name} (${unit})` : name, type })),
        table.rows.map((row) => columns.map(({ by, none }) => row[by] ?? none ?? null)),
      ),
  })
  const toVehicle = ({ object_id }: Row) => `/organizations/${organization.id}/objects/${object_id}`
  return (
    <>
      <div className="row between">
        <Figures items={sumsOf(all, organization, report)} />
        <span className="row">
          <Button busy={save.isPending} onClick={() => save.mutate()}>
            <Icon name="download" />
            {t('Export {{format}}', { format: 'XLSX' })}
          </Button>
          {children}
        </span>
      </div>
      <Problem error={save.error} />
      <LongTable
        {...table}
        label={t('Report')}
        rowKey={({ id }) => id}
        href={report.group === 'object' ? toVehicle : undefined}
      />
    </>
  )
}

type Column = LongColumn<Row, string> & {
  /** The type of the values in a spreadsheet. */
  type?: SheetColumn['type']
  unit?: string | null
  /** In place of a missing value. */
  none?: string
}

function columnsOf(organization: OrganizationSummary, report: Report): Column[] {
  return [
    nameOf(report),
    ...(report.group === 'date' ? [] : [amount('days', t('Days'), count)]),
    ...amountsOf(organization, report),
  ]
}

function nameOf({ group, by }: Report): Column {
  if (group === 'date') {
    return { by: 'date', name: t('Day'), type: 'date', cell: ({ date }) => utcDay(String(date)) }
  }
  if (group === 'object') return { by: 'name', name: t('Vehicle'), cell: ({ name }) => name }
  const none = t('No value')
  return { by: 'value', name: by!.label, none, cell: ({ value }) => value ?? none }
}

/** The amounts of a row, which can be added. Hours are those with the engine on. */
function amountsOf({ distance_unit: unit }: OrganizationSummary, { levels }: Report) {
  return [
    time('moving_time', t('Driving')),
    time('idle_time', t('Idle')),
    measure('distance', t('Distance'), unit),
    amount('trips', t('Trips'), count),
    ...levels.flatMap(({ name, label, unit }) => [
      measure(`${name}__used`, t('{{label}} used', { label }), unit),
      measure(`${name}__filled`, t('{{label}} filled', { label }), unit),
    ]),
  ]
}

type Amount = Column & { write: (value: number) => string }

function amount(by: string, name: string, write: (value: number) => string): Amount {
  const cell = (row: Row) => (typeof row[by] === 'number' ? write(row[by]) : '')
  return { by, name, number: true, cell, write }
}

function time(by: string, name: string): Amount {
  return { ...amount(by, name, (seconds) => duration(seconds * 1_000)), type: 'duration' }
}

function measure(by: string, name: string, unit: string | null): Amount {
  return { ...amount(by, name, (value) => `${decimal(value)} ${unit ?? ''}`), unit }
}

/** The totals of all rows. Parts of different tanks have no sum. */
function sumsOf(rows: readonly Row[], organization: OrganizationSummary, report: Report) {
  const summed = amountsOf(organization, report).filter(({ unit }) => unit !== '%')
  return summed.map(({ by, name, write }) => {
    const sum = rows.reduce((before, row) => before + Number(row[by] ?? 0), 0)
    return [name, write(sum)] as const
  })
}
