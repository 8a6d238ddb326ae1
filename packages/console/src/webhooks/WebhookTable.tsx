import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { Webhook } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
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
      toast(on ? t('The webhook is on.') : t('The webhook is off.'))
      return client.invalidateQueries({ queryKey: ['organization', organization] })
    },
  })
  const columns: Column<Webhook>[] = [
    { name: t('Address'), cell: ({ url }) => <code title={url}>{hostOf(url)}</code> },
    { name: t('Changes'), cell: (each) => contentOf(each) },
    { name: t('State'), cell: (each) => <State webhook={each} /> },
    {
      name: t('Last delivered'),
      cell: ({ last_delivered_at }) => <Time value={last_delivered_at} as="ago" />,
    },
    {
      name: t('Actions'),
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
        label={t('Webhooks')}
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
  const named = (action: string) => t('{{action}} webhook {{id}}', { action, id: webhook.id })
  const isOff = webhook.state === 'off'
  return (
    <>
      <Button
        small
        look="quiet"
        aria-label={named(t('Deliveries of'))}
        onClick={() => onDo('deliveries')}
      >
        {t('Deliveries')}
      </Button>
      <Changing>
        <Button
          small
          look="quiet"
          aria-label={named(isOff ? t('Switch on') : t('Switch off'))}
          onClick={() => onTurn(isOff)}
        >
          {isOff ? t('Switch on') : t('Switch off')}
        </Button>
        <Button small look="quiet" aria-label={named(t('Change'))} onClick={() => onDo('change')}>
          {t('Change')}
        </Button>
        <Button
          small
          look="quiet"
          aria-label={named(t('Rotate the secret of'))}
          onClick={() => onDo('rotate')}
        >
          {t('Rotate')}
        </Button>
        <Button small look="remove" aria-label={named(t('Delete'))} onClick={() => onDo('delete')}>
          {t('Delete')}
        </Button>
      </Changing>
    </>
  )
}

function contentOf({ types, ids }: Webhook): string {
  const what = types === null ? t('All') : types.map((type) => TYPE_NAMES[type]).join(', ')
  return ids === null
    ? what
    : t('{{what}} of {{count, number}} objects', { what, count: ids.length })
}

function State({ webhook }: { webhook: Webhook }) {
  const { state, off_reason, off_at, failure, next_try_at } = webhook
  if (state === 'on') return <Badge kind="good">{t('On')}</Badge>
  if (state === 'failing') {
    return (
      <span>
        <Badge kind="warn">{t('Failing')}</Badge>{' '}
        <Phrase
          text={'{{failure}}. Next try <time />'}
          values={{ failure: failure ?? '' }}
          parts={{ time: <Time value={next_try_at} none="at once" /> }}
        />
      </span>
    )
  }
  return (
    <span>
      <Badge kind={off_reason === 'failing' ? 'danger' : 'plain'}>{t('Off')}</Badge>{' '}
      <Phrase
        text={
          off_reason === 'failing' ? 'after three days of failures, <time />' : 'since <time />'
        }
        parts={{ time: <Time value={off_at} /> }}
      />
    </span>
  )
}
