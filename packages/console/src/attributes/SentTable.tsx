import type { SentName } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { count } from '../ui/format.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { valueText } from './attribute-texts.ts'

type SentTableProps = {
  rows: readonly SentName[]
  onAdd: (source: string) => void
}

/** The names that devices use for their values. */
export function SentTable({ rows, onAdd }: SentTableProps) {
  const columns: Column<SentName>[] = [
    { name: t('Name'), cell: ({ name }) => <code>{name}</code> },
    {
      name: t('Newest value'),
      cell: ({ value }) => (value === null ? <span className="soft">–</span> : valueText(value)),
    },
    { name: t('Sent'), cell: ({ value_at }) => <Time value={value_at} as="ago" quiet /> },
    { name: t('Objects'), number: true, cell: ({ objects }) => count(objects) },
    { name: t('Positions'), number: true, cell: ({ positions }) => count(positions) },
    {
      name: t('Attribute'),
      cell: ({ attributes }) =>
        attributes.length === 0 ? <span className="soft">–</span> : attributes.join(', '),
    },
    {
      name: t('Actions'),
      actions: true,
      cell: ({ name }) => (
        <Button
          small
          look="quiet"
          aria-label={t('Add an attribute for {{name}}', { name })}
          onClick={() => onAdd(name)}
        >
          {t('Add')}
        </Button>
      ),
    },
  ]
  return (
    <Table label={t('Sent by devices')} columns={columns} rows={rows} rowKey={({ name }) => name} />
  )
}
