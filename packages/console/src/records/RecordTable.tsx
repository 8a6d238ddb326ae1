import { useMemo } from 'react'
import { PREFIX } from '../api/prefix.ts'
import { useRecords } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Exports } from '../ui/Exports.tsx'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { LongTable, type Sorting } from '../ui/table/LongTable.tsx'
import { useSortedRows } from '../ui/table/use-sorted-rows.ts'
import { useUtc } from '../ui/time/time-zone.ts'
import { columnsOf, dayHref, type RowOf } from './columns.tsx'
import { Deriving } from './Deriving.tsx'
import { type Filters, type RecordKind, selectionOf } from './filters.ts'
import { RecomputingNote } from './RecomputingNote.tsx'
import { UnderivedNote } from './UnderivedNote.tsx'

type RecordTableProps<Kind extends RecordKind> = {
  organization: OrganizationSummary
  kind: Kind
  label: string
  filters: Filters
  /** The columns that all rows of this table have alike. */
  without?: readonly string[]
}

/** The chosen records in the order of a column, page by page, and all of them as a file. */
export function RecordTable<Kind extends RecordKind>(props: RecordTableProps<Kind>) {
  const { organization, kind, filters } = props
  const [utc] = useUtc()
  const selection = selectionOf(filters, kind, utc)
  const records = useRecords(organization.id, kind, selection)
  return (
    <Loaded query={records} lines={8}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items as RowOf<Kind>[])
        if (pages[0]!.derived_until === null) return <Deriving />
        const notes = (
          <>
            <RecomputingNote objects={pages[0]!.recomputing} />
            <UnderivedNote failures={pages[0]!.failures} />
          </>
        )
        if (rows.length === 0) {
          return (
            <>
              {notes}
              <Empty title={t('No results')}>
                {t('No matching records on these days. Choose other days or remove a filter.')}
              </Empty>
            </>
          )
        }
        return (
          <>
            {notes}
            <div className="row between">
              <span className="soft small" role="status">
                {t(COUNTS[kind], { count: rows.length })}{' '}
                {records.hasNextPage && t('More rows are available. Only loaded rows are sorted.')}
              </span>
              <Exports
                formats={['XLSX', 'CSV']}
                href={(ending) =>
                  `${PREFIX}/organizations/${organization.id}/${kind}.${ending}?${selection}`
                }
              />
            </div>
            <Sorted {...props} rows={rows} utc={utc} />
            {records.hasNextPage && (
              <div className="row">
                <Button busy={records.isFetchingNextPage} onClick={() => records.fetchNextPage()}>
                  {t('Load more')}
                </Button>
              </div>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

const NONE: readonly string[] = []

type SortedProps<Kind extends RecordKind> = RecordTableProps<Kind> & {
  rows: RowOf<Kind>[]
  utc: boolean
}

function Sorted<Kind extends RecordKind>(props: SortedProps<Kind>) {
  const { organization, kind, label, rows, utc, without = NONE } = props
  type Key = keyof RowOf<Kind> & string
  const columns = useMemo(
    () => columnsOf(kind, { organization, utc }).filter(({ by }) => !without.includes(by)),
    [kind, organization, utc, without],
  )
  const latest: Sorting<Key> = { by: 'start_time' as Key, descending: true }
  return (
    <LongTable
      {...useSortedRows(rows, columns, latest)}
      label={label}
      rowKey={({ id }) => id}
      href={(row) => dayHref(kind, row, { organization, utc })}
    />
  )
}

const COUNTS: Record<RecordKind, string> = {
  trips: '{{count, number}} trips',
  stops: '{{count, number}} stops',
  visits: '{{count, number}} visits',
  levels: '{{count, number}} level changes',
}
