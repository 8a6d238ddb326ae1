import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sourceNames } from '../../../server/src/base/domain/attributes/source.ts'
import { change } from '../api/client.ts'
import type { Attribute } from '../api/types.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { count } from '../ui/format.ts'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { entryOf, TYPE_NAMES, valueText } from './words.ts'

type AttributeTableProps = {
  organization: number
  rows: readonly Attribute[]
  onDo: (act: 'change' | 'remove', attribute: Attribute) => void
}

export function AttributeTable({ organization, rows, onDo }: AttributeTableProps) {
  const client = useQueryClient()
  const show = useMutation({
    mutationFn: ({ name, is_public }: Attribute) =>
      change(
        'POST',
        `/organizations/${organization}/attributes/${is_public ? 'hide' : 'publish'}`,
        {
          names: [name],
        },
      ),
    onSuccess: (_, { label, is_public }) => {
      toast(`${label} is ${is_public ? 'hidden from' : 'shown to'} keys.`)
      return client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
  const columns: Column<Attribute>[] = [
    { name: 'Label', cell: ({ label }) => label },
    { name: 'Name', cell: ({ name }) => <code>{name}</code> },
    { name: 'Type', cell: ({ type }) => TYPE_NAMES[type] },
    { name: 'Sources', cell: (each) => sourceNames(entryOf(each)).join(', ') },
    { name: 'Value', cell: (each) => <Value attribute={each} /> },
    { name: 'Not shown', cell: (each) => <NotShown attribute={each} /> },
    {
      name: 'Keys',
      cell: ({ is_public }) =>
        is_public ? <Badge kind="good">Public</Badge> : <Badge>Hidden</Badge>,
    },
    {
      name: 'Actions',
      actions: true,
      cell: (each) => (
        <>
          <Button
            small
            look="quiet"
            aria-label={`${each.is_public ? 'Hide' : 'Publish'} ${each.label}`}
            onClick={() => show.mutate(each)}
          >
            {each.is_public ? 'Hide' : 'Publish'}
          </Button>
          <Button
            small
            look="quiet"
            aria-label={`Change ${each.label}`}
            onClick={() => onDo('change', each)}
          >
            Change
          </Button>
          <Button
            small
            look="quiet"
            aria-label={`Remove ${each.label}`}
            onClick={() => onDo('remove', each)}
          >
            Remove
          </Button>
        </>
      ),
    },
  ]
  return (
    <>
      <Problem error={show.error} />
      <Table label="Attributes" columns={columns} rows={rows} rowKey={({ name }) => name} />
    </>
  )
}

function Value({ attribute: { value, value_at, unit } }: { attribute: Attribute }) {
  if (value === null) return <span className="soft">none</span>
  return (
    <span>
      {valueText(value, unit)}{' '}
      <span className="soft small">
        <Time value={value_at} as="ago" quiet />
      </span>
    </span>
  )
}

/** The newest values that answers leave out, with an example. */
function NotShown({ attribute: { checked, no_value, wrong_type } }: { attribute: Attribute }) {
  const all = [no_value, wrong_type].filter((each) => each !== null)
  if (all.length === 0) return <span className="soft">none</span>
  const sum = all.reduce((total, each) => total + each.count, 0)
  const example = all[0]!
  return (
    <span>
      {`${count(sum)} of ${count(checked)}`}{' '}
      <span className="soft small">
        {`such as ${valueText(example.value) || 'an empty text'} of object ${example.object}`}
      </span>
    </span>
  )
}
