import type { SentName } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { count } from '../ui/format.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { valueText } from './words.ts'

type SentTableProps = {
  rows: readonly SentName[]
  onAdd: (source: string) => void
}

/** The names that devices use for their values. */
export function SentTable({ rows, onAdd }: SentTableProps) {
  const columns: Column<SentName>[] = [
    { name: 'Name', cell: ({ name }) => <code>{name}</code> },
    {
      name: 'Newest value',
      cell: ({ value }) => (value === null ? <span className="soft">none</span> : valueText(value)),
    },
    { name: 'Sent', cell: ({ value_at }) => <Time value={value_at} as="ago" quiet /> },
    { name: 'Objects', number: true, cell: ({ objects }) => count(objects) },
    { name: 'Positions', number: true, cell: ({ positions }) => count(positions) },
    {
      name: 'Attribute',
      cell: ({ attributes }) =>
        attributes.length === 0 ? <span className="soft">none</span> : attributes.join(', '),
    },
    {
      name: 'Actions',
      actions: true,
      cell: ({ name }) => (
        <Button
          small
          look="quiet"
          aria-label={`Add an attribute for ${name}`}
          onClick={() => onAdd(name)}
        >
          Add
        </Button>
      ),
    },
  ]
  return <Table label="Sent by devices" columns={columns} rows={rows} rowKey={({ name }) => name} />
}
