import { useRefusedIdents } from '../api/queries.ts'
import type { OrganizationSummary, RefusedIdents } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { count, placeText } from '../ui/format.ts'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

type RefusedIdent = RefusedIdents['items'][number]

const REASONS: Record<RefusedIdent['reason'], string> = {
  unknown_ident: 'Objects are not created automatically.',
  foreign_ident: 'It is in use elsewhere on this server. Its operator can assign it.',
  limit_of_objects: 'The organization has its maximum number of objects.',
  limit_of_new_objects: 'The feed token created too many objects within a minute.',
}

type RefusedIdentsCardProps = {
  organization: OrganizationSummary
  onCreate: (ident: string) => void
}

/** Trackers that send and have no object. Shows nothing where there are none. */
export function RefusedIdentsCard({ organization, onCreate }: RefusedIdentsCardProps) {
  const { data } = useRefusedIdents(organization.id)
  if (data === undefined || data.items.length === 0) return null
  const columns: Column<RefusedIdent>[] = [
    { name: 'Ident', cell: ({ ident }) => <bdi>{ident}</bdi> },
    { name: 'Why', cell: ({ reason }) => REASONS[reason] },
    { name: 'Packets', number: true, cell: ({ packets }) => count(packets) },
    { name: 'Last packet', cell: ({ last_at }) => <Time value={last_at} as="ago" /> },
    { name: 'Where', cell: placeText },
    {
      name: 'Actions',
      actions: true,
      cell: ({ ident }) => (
        <Button onClick={() => onCreate(ident)} aria-label={`Create object for ${ident}`}>
          Create object
        </Button>
      ),
    },
  ]
  return (
    <Card
      title="Trackers without an object"
      lead="They send to this organization, and their packets are refused. The list has the 100 that sent last."
    >
      <Table
        label="Trackers without an object"
        columns={columns}
        rows={data.items}
        rowKey={({ ident }) => ident}
      />
    </Card>
  )
}
