import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import { placeOf, useInvitations } from '../api/queries.ts'
import type { Invitation } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { ROLE_NAMES } from './words.ts'

/** Links that nobody has used yet. Shows nothing where there are none. */
export function InvitationsCard({ organization }: { organization: number | null }) {
  const { data } = useInvitations(organization)
  const client = useQueryClient()
  const [withdrawn, setWithdrawn] = useState<Invitation | null>(null)
  if (data === undefined || data.items.length === 0) return null
  const columns: Column<Invitation>[] = [
    { name: 'For', cell: ({ email }) => email ?? 'Whoever has the link' },
    {
      name: 'Role',
      cell: ({ role, organization: of }) =>
        `${ROLE_NAMES[role]}${organization !== null || of === null ? '' : ` of organization ${of}`}`,
    },
    { name: 'Invited by', cell: ({ issued_by }) => issued_by ?? 'The command line' },
    { name: 'Ends', cell: ({ expires_at }) => <Time value={expires_at} as="minute" /> },
    {
      name: 'Actions',
      actions: true,
      cell: (each) => (
        <Button
          small
          look="remove"
          aria-label={`Withdraw invitation ${each.id}`}
          onClick={() => setWithdrawn(each)}
        >
          Withdraw
        </Button>
      ),
    },
  ]
  return (
    <Card title="Open invitations" lead="Each works once, for its address.">
      <Table label="Open invitations" columns={columns} rows={data.items} rowKey={({ id }) => id} />
      {withdrawn !== null && (
        <Confirm
          title="Withdraw the invitation?"
          action="Withdraw invitation"
          onClose={() => setWithdrawn(null)}
          onConfirm={async () => {
            await change('DELETE', `${placeOf(organization)}/invitations/${withdrawn.id}`)
            await client.invalidateQueries({ queryKey: ['invitations'] })
            toast('The invitation was withdrawn.')
          }}
        >
          <p>The link for {withdrawn.email ?? 'whoever has it'} stops working at once.</p>
        </Confirm>
      )}
    </Card>
  )
}
