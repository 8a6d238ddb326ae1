import { useState } from 'react'
import { useWebhooks } from '../api/queries.ts'
import type { IssuedWebhook, OrganizationSummary, Webhook } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { Icon } from '../ui/Icon.tsx'
import { useTitle } from '../ui/page/title.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { DeleteWebhook } from './DeleteWebhook.tsx'
import { Deliveries } from './Deliveries.tsx'
import { RotateSecret } from './RotateSecret.tsx'
import { WebhookForm } from './WebhookForm.tsx'
import { WebhookSecret } from './WebhookSecret.tsx'
import { WebhookTable } from './WebhookTable.tsx'

type Doing =
  | { action: 'register' }
  | { action: 'change' | 'rotate' | 'delete' | 'deliveries'; webhook: Webhook }
  | { action: 'show'; issued: IssuedWebhook }

export function WebhooksPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Webhooks'), organization.name)
  const { id } = organization
  const webhooks = useWebhooks(id)
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  // A relay has no secret.
  const show = (issued: IssuedWebhook) =>
    issued.secret === null ? close() : setDoing({ action: 'show', issued })
  return (
    <Card
      page
      title={t('Webhooks')}
      lead={t(
        'The server sends this organization’s changes to these addresses, signed and in order. Receivers do not need an API key.',
      )}
      actions={
        <Changing>
          <Button look="primary" onClick={() => setDoing({ action: 'register' })}>
            <Icon name="plus" />
            {t('New webhook')}
          </Button>
        </Changing>
      }
    >
      <Loaded
        query={webhooks}
        lines={3}
        none={
          <Empty title={t('No webhooks yet')}>
            {t('Programs poll for changes; a webhook pushes them.')}
          </Empty>
        }
      >
        {({ items }) => (
          <WebhookTable
            organization={id}
            rows={items}
            onDo={(action, webhook) => setDoing({ action, webhook })}
          />
        )}
      </Loaded>
      {doing?.action === 'register' && (
        <WebhookForm organization={organization} onClose={close} onIssued={show} />
      )}
      {doing?.action === 'change' && (
        <WebhookForm
          organization={organization}
          webhook={doing.webhook}
          onClose={close}
          onIssued={show}
        />
      )}
      {doing?.action === 'rotate' && (
        <RotateSecret organization={id} webhook={doing.webhook} onClose={close} onIssued={show} />
      )}
      {doing?.action === 'delete' && (
        <DeleteWebhook organization={id} webhook={doing.webhook} onClose={close} />
      )}
      {doing?.action === 'deliveries' && (
        <Deliveries organization={id} webhook={doing.webhook} onClose={close} />
      )}
      {doing?.action === 'show' && <WebhookSecret issued={doing.issued} onClose={close} />}
    </Card>
  )
}
