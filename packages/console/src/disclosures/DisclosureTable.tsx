import { useMemo } from 'react'
import { Link } from 'wouter'
import { PREFIX } from '../api/client.ts'
import { useDisclosures } from '../api/queries.ts'
import type { Disclosure, OrganizationSummary } from '../api/types.ts'
import { grantInWords } from '../keys/grant.ts'
import { OPERATION_NAMES } from '../keys/scope/words.ts'
import { t } from '../language/text.ts'
import { DownloadLink } from '../ui/Button.tsx'
import { count, utcDay } from '../ui/format.ts'
import { Icon } from '../ui/Icon.tsx'
import { useAddress } from '../ui/page/address.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type LongColumn, LongTable, type Sorting } from '../ui/table/LongTable.tsx'
import { compared, sortingOf, textOf } from '../ui/table/sorting.ts'
import { UNNAMED } from './RecipientTable.tsx'

type Key = 'name' | 'recipient' | 'key_name' | 'data' | 'date' | 'rows' | 'requests'
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
            <Empty title={t('Nothing was given out')}>
              {t(
                'No key was shown an object on these days. Choose other days, another recipient or another key.',
              )}
            </Empty>
          )
        }
        return (
          <>
            <div className="row between">
              <span className="soft small" role="status">
                {t('{{count, number}} lines', { count: items.length })}{' '}
                {has_more && t('There are more. Choose fewer days, or export all of them.')}
              </span>
              <span className="row">
                {['XLSX', 'CSV', 'JSON'].map((format) => (
                  <DownloadLink
                    key={format}
                    href={`${PREFIX}/organizations/${id}/disclosures.${format.toLowerCase()}?${selection}`}
                  >
                    <Icon name="download" />
                    {t('Export {{format}}', { format })}
                  </DownloadLink>
                ))}
              </span>
            </div>
            <Sorted organization={id} items={items} />
          </>
        )
      }}
    </Loaded>
  )
}

function Sorted({ organization, items }: { organization: number; items: Disclosure[] }) {
  const [address, change] = useAddress()
  const columns = useMemo(() => columnsOf(organization), [organization])
  const keys = columns.map(({ by }) => by)
  const sorting = sortingOf(address.get('sort'), keys, LATEST)
  const { by, descending } = sorting
  const sorted = useMemo(() => {
    const sign = descending ? -1 : 1
    const rows = items.map((each, id): Row => ({ ...each, id }))
    return rows.toSorted((one, other) => compared(one[by], other[by], sign))
  }, [items, by, descending])
  return (
    <LongTable
      label={t('Rows given out')}
      columns={columns}
      rows={sorted}
      rowKey={({ id }) => id}
      sorting={sorting}
      onSort={(next) => change({ sort: textOf(next, LATEST) })}
    />
  )
}

function columnsOf(organization: number): LongColumn<Row, Key>[] {
  return [
    { by: 'name', name: t('Vehicle'), cell: (row) => toObject(row, organization) },
    { by: 'recipient', name: t('Recipient'), cell: (row) => grantInWords(row) || UNNAMED },
    {
      by: 'key_name',
      name: t('API key'),
      cell: ({ key, key_name }) => key_name ?? t('No. {{key}}', { key }),
    },
    { by: 'date', name: t('Day (UTC)'), cell: ({ date }) => utcDay(date) },
    { by: 'data', name: t('Data'), cell: ({ data }) => OPERATION_NAMES[data] },
    { by: 'rows', name: t('Rows'), number: true, cell: ({ rows }) => count(rows) },
    { by: 'requests', name: t('Requests'), number: true, cell: ({ requests }) => count(requests) },
  ]
}

function toObject({ object, name }: Row, organization: number) {
  if (name === null) return t('No. {{object}}, deleted', { object })
  return <Link href={`/organizations/${organization}/objects/${object}`}>{name}</Link>
}
