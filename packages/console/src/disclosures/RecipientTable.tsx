import { useRecipients } from '../api/queries.ts'
import type { OrganizationSummary, Recipient } from '../api/types.ts'
import { OPERATION_NAMES } from '../keys/scope/scope-texts.ts'
import { t } from '../language/text.ts'
import { count, utcDay } from '../ui/format.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { SOURCE_NAMES } from './sources.ts'

type RecipientTableProps = {
  organization: OrganizationSummary
  /** The parameters that choose disclosures. */
  selection: string
}

/** The totals of each recipient, by purpose and kind of data. */
export function RecipientTable({ organization: { id }, selection }: RecipientTableProps) {
  const recipients = useRecipients(id, selection)
  return (
    <Loaded query={recipients} lines={3}>
      {({ items }) =>
        items.length > 0 && (
          <Table
            label={t('By recipient')}
            columns={COLUMNS}
            rows={items}
            rowKey={({ source, recipient, purpose, data }) =>
              JSON.stringify([source, recipient, purpose, data])
            }
          />
        )
      }
    </Loaded>
  )
}

export const UNNAMED = t('No recipient given')

const COLUMNS: Column<Recipient>[] = [
  { name: t('Recipient'), cell: ({ recipient }) => recipient ?? UNNAMED },
  {
    name: t('Purpose'),
    cell: ({ purpose }) => purpose ?? <span className="soft">{t('not given')}</span>,
  },
  { name: t('Access by'), cell: ({ source }) => SOURCE_NAMES[source] },
  { name: t('Data'), cell: ({ data }) => OPERATION_NAMES[data] },
  { name: t('Objects'), number: true, cell: ({ objects }) => count(objects) },
  { name: t('Readers'), number: true, cell: ({ readers }) => count(readers) },
  { name: t('Rows'), number: true, cell: ({ rows }) => count(rows) },
  { name: t('Days (UTC)'), cell: ({ first_date, last_date }) => daysOf(first_date, last_date) },
]

function daysOf(first: string, last: string): string {
  return first === last ? utcDay(first) : `${utcDay(first)} – ${utcDay(last)}`
}
