import { useMemo } from 'react'
import { PREFIX } from '../api/prefix.ts'
import { useDisclosures } from '../api/queries.ts'
import type { Disclosure, OrganizationSummary } from '../api/types.ts'
import { discloseeInWords } from '../keys/disclosee.ts'
import { OPERATION_NAMES } from '../keys/scope/scope-texts.ts'
import { t } from '../language/text.ts'
import { Exports } from '../ui/Exports.tsx'
import { count, utcDay } from '../ui/format.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type LongColumn, LongTable, type Sorting } from '../ui/table/LongTable.tsx'
import { useSortedRows } from '../ui/table/use-sorted-rows.ts'
import { UNNAMED } from './RecipientTable.tsx'
import { readerOf, SOURCE_NAMES } from './sources.ts'

type Key = 'name' | 'recipient' | 'source' | 'source_name' | 'data' | 'date' | 'rows' | 'requests'
type Row = Disclosure & { id: number }

const LATEST: Sorting<Key> = { by: 'date', descending: true }

type DisclosureTableProps = {
  organization: OrganizationSummary
  /** The parameters that choose disclosures. */
  selection: string
}

/** The chosen disclosures in the order of a column, and all of them as a file. */
export function DisclosureTable({ organization: { id }, selection }: DisclosureTableProps) {
  const disclosures = useDisclosures(id, selection)
  return (
    <Loaded query={disclosures} lines={8}>
      {({ items, has_more }) => {
        if (items.length === 0) {
          return (
            <Empty title={t('No data access')}>
              {t(
                'Nobody read a vehicle’s data on these days. Choose other days, another recipient or another key.',
              )}
            </Empty>
          )
        }
        return (
          <>
            <div className="row between">
              <span className="soft small" role="status">
                {t('{{count, number}} entries', { count: items.length })}{' '}
                {has_more && t('There are more entries. Choose fewer days, or export them all.')}
              </span>
              <Exports
                formats={['XLSX', 'CSV', 'JSON']}
                href={(ending) =>
                  `${PREFIX}/organizations/${id}/disclosures.${ending}?${selection}`
                }
              />
            </div>
            <Sorted organization={id} items={items} />
          </>
        )
      }}
    </Loaded>
  )
}

function Sorted({ organization, items }: { organization: number; items: Disclosure[] }) {
  const rows = useMemo(() => items.map((each, id): Row => ({ ...each, id })), [items])
  return (
    <LongTable
      {...useSortedRows(rows, COLUMNS, LATEST)}
      label={t('Data access by vehicle and day')}
      rowKey={({ id }) => id}
      href={({ object, name }) =>
        name === null ? null : `/organizations/${organization}/objects/${object}`
      }
    />
  )
}

const COLUMNS: LongColumn<Row, Key>[] = [
  {
    by: 'name',
    name: t('Vehicle'),
    cell: ({ object, name }) => name ?? t('No. {{object}}, deleted', { object: `${object}` }),
  },
  { by: 'recipient', name: t('Recipient'), cell: (row) => discloseeInWords(row) || UNNAMED },
  {
    by: 'source',
    name: t('Access by'),
    cell: ({ source }) => SOURCE_NAMES[source],
  },
  { by: 'source_name', name: t('Name'), cell: readerOf },
  { by: 'date', name: t('Day (UTC)'), cell: ({ date }) => utcDay(date) },
  { by: 'data', name: t('Data'), cell: ({ data }) => OPERATION_NAMES[data] },
  { by: 'rows', name: t('Rows'), number: true, cell: ({ rows }) => count(rows) },
  { by: 'requests', name: t('Requests'), number: true, cell: ({ requests }) => count(requests) },
]
