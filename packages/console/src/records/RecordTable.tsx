import { useMemo } from 'react'
import { PREFIX } from '../api/client.ts'
import { useRecords } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button, DownloadLink } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { useAddress } from '../ui/page/address.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { LongTable, type Sorting } from '../ui/table/LongTable.tsx'
import { compared, sortingOf, textOf } from '../ui/table/sorting.ts'
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
              <Empty title={t('Nothing found')}>
                {t('There are none on these days. Choose other days, or remove a filter.')}
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
                {records.hasNextPage && t('There are more. Only the loaded ones are sorted.')}
              </span>
              <span className="row">
                {['XLSX', 'CSV'].map((format) => (
                  <DownloadLink
                    key={format}
                    href={`${PREFIX}/organizations/${organization.id}/${kind}.${format.toLowerCase()}?${selection}`}
                  >
                    <Icon name="download" />
                    {t('Export {{format}}', { format })}
                  </DownloadLink>
                ))}
              </span>
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
  const [address, change] = useAddress()
  const columns = useMemo(
    () => columnsOf(kind, { organization, utc }).filter(({ by }) => !without.includes(by)),
    [kind, organization, utc, without],
  )
  const sort = address.get('sort')
  const latest: Sorting<Key> = { by: 'start_time' as Key, descending: true }
  const keys = columns.map(({ by }) => by)
  const sorting = sortingOf(sort, keys, latest)
  const { by, descending } = sorting
  const sorted = useMemo(() => {
    const sign = descending ? -1 : 1
    const sortValue = (row: RowOf<Kind>) => row[by] as string | number | null
    return rows.toSorted((one, other) => compared(sortValue(one), sortValue(other), sign))
  }, [rows, by, descending])
  return (
    <LongTable
      label={label}
      columns={columns}
      rows={sorted}
      rowKey={({ id }) => id}
      href={(row) => dayHref(kind, row, { organization, utc })}
      sorting={sorting}
      onSort={(next) => change({ sort: textOf(next, latest) })}
    />
  )
}

const COUNTS: Record<RecordKind, string> = {
  trips: '{{count, number}} trips',
  stops: '{{count, number}} stops',
  visits: '{{count, number}} visits',
  levels: '{{count, number}} changes of levels',
}
