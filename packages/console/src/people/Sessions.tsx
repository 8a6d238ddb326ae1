import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import { useOpenSessions } from '../api/queries.ts'
import type { OpenSession } from '../api/types.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { Actions, Dialog } from '../ui/dialog/Dialog.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

type SessionsProps = {
  title: string
  path: string
  /** Whether the path takes an end of all but the own one. */
  endsAll?: boolean
  onClose: () => void
}

/** The browsers in which somebody has signed in. */
export function Sessions({ title, path, endsAll = false, onClose }: SessionsProps) {
  const sessions = useOpenSessions(path)
  const client = useQueryClient()
  const end = useMutation({
    mutationFn: (session: number | null) =>
      change('DELETE', session === null ? path : `${path}/${session}`),
    onSuccess: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const columns: Column<OpenSession>[] = [
    {
      name: 'Browser',
      cell: ({ browser, is_own, is_sign_on }) => (
        <>
          {browser === '' ? 'Unknown' : browser} {is_own && <Badge kind="good">This one</Badge>}
          {is_sign_on && <Badge>Single sign-on</Badge>}
        </>
      ),
    },
    { name: 'Signed in', cell: ({ created_at }) => <Time value={created_at} as="ago" /> },
    { name: 'Last used', cell: ({ last_used_at }) => <Time value={last_used_at} as="ago" /> },
    {
      name: 'Actions',
      actions: true,
      cell: ({ id, is_own }) =>
        !is_own && (
          <Button
            small
            look="remove"
            aria-label={`End session ${id}`}
            onClick={() => end.mutate(id)}
          >
            End
          </Button>
        ),
    },
  ]
  return (
    <Dialog title={title} wide onClose={onClose}>
      <Problem error={end.error} />
      <Loaded query={sessions} lines={2} what="person">
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">There is no open session.</p>
          ) : (
            <Table label="Sessions" columns={columns} rows={items} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
      <Actions>
        {endsAll && (
          <Changing>
            <Button look="danger" busy={end.isPending} onClick={() => end.mutate(null)}>
              End all
            </Button>
          </Changing>
        )}
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  )
}
