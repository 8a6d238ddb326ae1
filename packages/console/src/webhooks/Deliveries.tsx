import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import { useDeliveries } from '../api/queries.ts'
import type { Webhook, WebhookDelivery } from '../api/types.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { Actions, Dialog } from '../ui/dialog/Dialog.tsx'
import { count, counted } from '../ui/format.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { hostOf, KIND_NAMES } from './words.ts'

type DeliveriesProps = { organization: number; webhook: Webhook; onClose: () => void }

/** The newest deliveries. Each can be sent again, and a test can be sent. */
export function Deliveries({ organization, webhook, onClose }: DeliveriesProps) {
  const client = useQueryClient()
  const deliveries = useDeliveries(organization, webhook.id)
  const path = `/organizations/${organization}/webhooks/${webhook.id}`
  const send = useMutation({
    mutationFn: (what: 'test' | WebhookDelivery) =>
      change('POST', what === 'test' ? `${path}/test` : `${path}/deliveries/${what.number}/repeat`),
    onSuccess: () => client.invalidateQueries({ queryKey: ['organization', organization] }),
  })
  const columns: Column<WebhookDelivery>[] = [
    { name: 'Number', cell: ({ number }) => count(number) },
    { name: 'Message', cell: (each) => messageOf(each) },
    { name: 'Last try', cell: ({ tried_at }) => <Time value={tried_at} as="ago" none="none" /> },
    { name: 'Result', cell: (each) => <Result delivery={each} /> },
    {
      name: 'Actions',
      actions: true,
      cell: (each) => (
        <Button
          small
          look="quiet"
          aria-label={`Send again delivery ${each.number}`}
          onClick={() => send.mutate(each)}
        >
          Send again
        </Button>
      ),
    },
  ]
  return (
    <Dialog title={`Deliveries to ${hostOf(webhook.url)}`} wide onClose={onClose}>
      <Problem error={send.error} />
      <Loaded query={deliveries} lines={4} what="webhook">
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">Nothing has been sent yet.</p>
          ) : (
            <Table
              label="Deliveries"
              columns={columns}
              rows={items}
              rowKey={({ number }) => number}
            />
          )
        }
      </Loaded>
      <Actions>
        <Changing>
          <Button busy={send.isPending} onClick={() => send.mutate('test')}>
            Send a test
          </Button>
        </Changing>
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  )
}

function messageOf({ kind, entries }: WebhookDelivery): string {
  return kind === 'changes' ? counted(entries, 'entry', 'entries') : KIND_NAMES[kind]
}

function Result({ delivery }: { delivery: WebhookDelivery }) {
  const { tries, status, failure, duration_ms, is_wanted } = delivery
  if (is_wanted) return <Badge>About to be sent</Badge>
  if (tries === 0) return <Badge>Waiting</Badge>
  const took = duration_ms === null ? '' : ` in ${count(duration_ms)} ms`
  if (failure !== null) {
    return (
      <span>
        <Badge kind="warn">{tries > 1 ? `Failed ${count(tries)} times` : 'Failed'}</Badge> {failure}
      </span>
    )
  }
  return (
    <span>
      <Badge kind="good">{String(status)}</Badge>
      {took}
    </span>
  )
}
