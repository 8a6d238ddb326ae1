import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { Webhook } from '../api/types.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { counted } from '../ui/format.ts'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { hostOf, TYPE_NAMES } from './words.ts'

type Action = 'change' | 'rotate' | 'delete' | 'deliveries'

type WebhookTableProps = {
  organization: number
  rows: Webhook[]
  onDo: (action: Action, webhook: Webhook) => void
}

export function WebhookTable({ organization, rows, onDo }: WebhookTableProps) {
  const client = useQueryClient()
  const turn = useMutation({
    mutationFn: ({ id, on }: { id: number; on: boolean }) =>
      change('PATCH', `/organizations/${organization}/webhooks/${id}`, { on }),
    onSuccess: (_, { on }) => {
      toast(on ? 'The webhook is on.' : 'The webhook is off.')
      return client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
  const columns: Column<Webhook>[] = [
    { name: 'Address', cell: ({ url }) => <code title={url}>{hostOf(url)}</code> },
    { name: 'Changes', cell: (each) => contentOf(each) },
    { name: 'State', cell: (each) => <State webhook={each} /> },
    {
      name: 'Last delivered',
      cell: ({ last_delivered_at }) => <Time value={last_delivered_at} as="ago" />,
    },
    {
      name: 'Actions',
      actions: true,
      shows: true,
      cell: (each) => (
        <RowActions
          webhook={each}
          onTurn={(on) => turn.mutate({ id: each.id, on })}
          onDo={(action) => onDo(action, each)}
        />
      ),
    },
  ]
  return (
    <>
      <Problem error={turn.error} />
      <Table
        label="Webhooks"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        isOff={({ state }) => state === 'off'}
      />
    </>
  )
}

type RowActionsProps = {
  webhook: Webhook
  onTurn: (on: boolean) => void
  onDo: (action: Action) => void
}

function RowActions({ webhook, onTurn, onDo }: RowActionsProps) {
  const named = (action: string) => `${action} webhook ${webhook.id}`
  const isOff = webhook.state === 'off'
  return (
    <>
      <Button
        small
        look="quiet"
        aria-label={named('Deliveries of')}
        onClick={() => onDo('deliveries')}
      >
        Deliveries
      </Button>
      <Changing>
        <Button
          small
          look="quiet"
          aria-label={named(isOff ? 'Switch on' : 'Switch off')}
          onClick={() => onTurn(isOff)}
        >
          {isOff ? 'Switch on' : 'Switch off'}
        </Button>
        <Button small look="quiet" aria-label={named('Change')} onClick={() => onDo('change')}>
          Change
        </Button>
        <Button
          small
          look="quiet"
          aria-label={named('Rotate the secret of')}
          onClick={() => onDo('rotate')}
        >
          Rotate
        </Button>
        <Button small look="remove" aria-label={named('Delete')} onClick={() => onDo('delete')}>
          Delete
        </Button>
      </Changing>
    </>
  )
}

function contentOf({ types, ids }: Webhook): string {
  const what = types === null ? 'All' : types.map((type) => TYPE_NAMES[type]).join(', ')
  return ids === null ? what : `${what} of ${counted(ids.length, 'object')}`
}

function State({ webhook }: { webhook: Webhook }) {
  const { state, off_reason, off_at, failure, next_try_at } = webhook
  if (state === 'on') return <Badge kind="good">On</Badge>
  if (state === 'failing') {
    return (
      <span>
        <Badge kind="warn">Failing</Badge> {failure}. Next try{' '}
        <Time value={next_try_at} none="at once" />
      </span>
    )
  }
  return (
    <span>
      <Badge kind={off_reason === 'failing' ? 'danger' : 'plain'}>Off</Badge>{' '}
      {off_reason === 'failing' ? 'after three days of failures, ' : 'since '}
      <Time value={off_at} />
    </span>
  )
}
