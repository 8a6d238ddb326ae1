import { change } from '../api/client.ts'
import type { Webhook } from '../api/types.ts'
import { discloseeInWords } from '../keys/disclosee.ts'
import { Phrase } from '../language/Phrase.tsx'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Problem } from '../ui/state/Problem.tsx'
import type { RowAction } from '../ui/table/RowMenu.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { FORM_NAMES } from './forms.ts'
import { hostOf, TYPE_NAMES } from './webhook-texts.ts'

type Action = 'change' | 'rotate' | 'delete' | 'deliveries'

type WebhookTableProps = {
  organization: number
  rows: Webhook[]
  onDo: (action: Action, webhook: Webhook) => void
}

export function WebhookTable({ organization, rows, onDo }: WebhookTableProps) {
  const turn = useSaving({
    request: ({ id, on }: { id: number; on: boolean }) =>
      change('PATCH', `/organizations/${organization}/webhooks/${id}`, { on }),
    refreshes: [['organization', organization]],
    done: (_, { on }) => (on ? t('The webhook is on.') : t('The webhook is off.')),
  })
  const columns: Column<Webhook>[] = [
    { name: t('Address'), cell: ({ url }) => <code title={url}>{hostOf(url)}</code> },
    { name: t('Changes'), cell: (each) => <Content webhook={each} /> },
    { name: t('Status'), cell: (each) => <State webhook={each} /> },
    {
      name: t('Last delivered'),
      cell: ({ last_delivered_at }) => <Time value={last_delivered_at} as="ago" />,
    },
  ]
  const actionsOf = (webhook: Webhook): RowAction[] => {
    const isOff = webhook.state === 'off'
    const action = (name: string, act: Action, more: Partial<RowAction> = {}) => ({
      ...{ name, ...more },
      onAction: () => onDo(act, webhook),
    })
    return [
      action(t('Deliveries'), 'deliveries', { shows: true }),
      {
        name: isOff ? t('Turn on') : t('Turn off'),
        onAction: () => turn.mutate({ id: webhook.id, on: isOff }),
      },
      action(t('Change'), 'change'),
      ...(webhook.form === 'changes' ? [action(t('Rotate secret'), 'rotate')] : []),
      action(t('Delete'), 'delete', { isDanger: true }),
    ]
  }
  return (
    <>
      <Problem error={turn.error} />
      <Table
        label={t('Webhooks')}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        isOff={({ state }) => state === 'off'}
        menu={(each) => ({
          label: t('Actions for {{name}}', { name: hostOf(each.url) }),
          items: actionsOf(each),
        })}
      />
    </>
  )
}

function Content({ webhook }: { webhook: Webhook }) {
  const { form, types, ids, grants } = webhook
  const disclosee = discloseeInWords(webhook)
  return (
    <div>
      {form !== 'changes'
        ? FORM_NAMES[form]
        : types === null
          ? t('All')
          : types.map((type) => TYPE_NAMES[type]).join(', ')}
      {ids !== null && (
        <div className="soft small">{t('{{count, number}} vehicles', { count: ids.length })}</div>
      )}
      {grants !== null && (
        <div className="soft small">{t('{{count, number}} grants', { count: grants.length })}</div>
      )}
      {disclosee !== '' && (
        <div className="soft small">{t('For {{disclosee}}', { disclosee })}</div>
      )}
    </div>
  )
}

function State({ webhook }: { webhook: Webhook }) {
  const { state, off_reason, off_at, failure, next_try_at } = webhook
  if (state === 'on') return <Badge kind="good">{t('On')}</Badge>
  if (state === 'failing') {
    return (
      <span>
        <Badge kind="warn">{t('Failing')}</Badge>{' '}
        <Phrase
          text={'{{failure}}. Next attempt <time />'}
          values={{ failure: said(failure ?? '') }}
          parts={{ time: <Time value={next_try_at} none={t('now')} /> }}
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
