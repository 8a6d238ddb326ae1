import { change } from '../api/client.ts'
import { useDeliveries } from '../api/queries.ts'
import type { Webhook, WebhookDelivery } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { Actions, Dialog } from '../ui/dialog/Dialog.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { count } from '../ui/format.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { hostOf, KIND_NAMES } from './webhook-texts.ts'

type DeliveriesProps = { organization: number; webhook: Webhook; onClose: () => void }

/** The newest deliveries. Each can be sent again, and a test can be sent. */
export function Deliveries({ organization, webhook, onClose }: DeliveriesProps) {
  const deliveries = useDeliveries(organization, webhook.id)
  const path = `/organizations/${organization}/webhooks/${webhook.id}`
  const send = useSaving({
    request: (what: 'test' | WebhookDelivery) =>
      change('POST', what === 'test' ? `${path}/test` : `${path}/deliveries/${what.number}/repeat`),
    refreshes: [['organization', organization]],
  })
  const columns: Column<WebhookDelivery>[] = [
    { name: t('No.'), cell: ({ number }) => String(number) },
    { name: t('Message'), cell: (each) => messageOf(each) },
    {
      name: t('Last attempt'),
      cell: ({ tried_at }) => <Time value={tried_at} as="ago" none="–" />,
    },
    { name: t('Result'), cell: (each) => <Result delivery={each} /> },
    {
      name: t('Actions'),
      actions: true,
      cell: (each) => (
        <Button
          small
          look="quiet"
          aria-label={t('Resend delivery {{number}}', { number: each.number })}
          onClick={() => send.mutate(each)}
        >
          {t('Resend')}
        </Button>
      ),
    },
  ]
  return (
    <Dialog title={t('Deliveries to {{url}}', { url: hostOf(webhook.url) })} wide onClose={onClose}>
      <Problem error={send.error} />
      <Loaded
        query={deliveries}
        lines={4}
        none={<p className="soft">{t('Nothing has been sent yet.')}</p>}
      >
        {({ items }) => (
          <Table
            label={t('Deliveries')}
            columns={columns}
            rows={items}
            rowKey={({ number }) => number}
          />
        )}
      </Loaded>
      <Actions>
        <Changing>
          {webhook.form === 'changes' && (
            <Button busy={send.isPending} onClick={() => send.mutate('test')}>
              {t('Send test')}
            </Button>
          )}
        </Changing>
        <Button look="primary" onClick={onClose}>
          {t('Close')}
        </Button>
      </Actions>
    </Dialog>
  )
}

function messageOf({ kind, entries }: WebhookDelivery): string {
  return kind === 'changes' ? t('{{count, number}} entries', { count: entries }) : KIND_NAMES[kind]
}

function Result({ delivery }: { delivery: WebhookDelivery }) {
  const { tries, status, failure, duration_ms, is_wanted } = delivery
  if (is_wanted) return <Badge>{t('Queued')}</Badge>
  if (tries === 0) return <Badge>{t('Waiting')}</Badge>
  if (failure !== null) {
    return (
      <span>
        <Badge kind="warn">
          {tries > 1 ? t('Failed {{tries}} times', { tries: count(tries) }) : t('Failed')}
        </Badge>{' '}
        {said(failure)}
      </span>
    )
  }
  return (
    <span>
      <Badge kind="good">{String(status)}</Badge>
      {duration_ms !== null && ` ${count(duration_ms)} ms`}
    </span>
  )
}
