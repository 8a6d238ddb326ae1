import { change } from '../api/client.ts'
import type { Webhook } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { hostOf } from './webhook-texts.ts'

type DeleteWebhookProps = { organization: number; webhook: Webhook; onClose: () => void }

export function DeleteWebhook({ organization, webhook, onClose }: DeleteWebhookProps) {
  return (
    <Confirm
      title={t('Delete the webhook to {{url}}?', { url: hostOf(webhook.url) })}
      action={t('Delete webhook')}
      onClose={onClose}
      onConfirm={() => change('DELETE', `/organizations/${organization}/webhooks/${webhook.id}`)}
      refreshes={[['organization', organization]]}
      done={t('The webhook was deleted.')}
    >
      <p>
        {t(
          'The server stops sending to this address and deletes the delivery history. To pause the webhook instead, turn it off.',
        )}
      </p>
    </Confirm>
  )
}
