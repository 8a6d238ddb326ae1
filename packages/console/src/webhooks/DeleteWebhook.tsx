import { useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { Webhook } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { hostOf } from './words.ts'

type DeleteWebhookProps = { organization: number; webhook: Webhook; onClose: () => void }

export function DeleteWebhook({ organization, webhook, onClose }: DeleteWebhookProps) {
  const client = useQueryClient()
  return (
    <Confirm
      title={t('Delete the webhook to {{url}}?', { url: hostOf(webhook.url) })}
      action={t('Delete webhook')}
      onClose={onClose}
      onConfirm={async () => {
        await change('DELETE', `/organizations/${organization}/webhooks/${webhook.id}`)
        await client.invalidateQueries({ queryKey: ['organization', organization] })
        toast(t('The webhook was deleted.'))
      }}
    >
      <p>
        {t(
          'The server stops sending there, and deletes the record of what was delivered. To pause it, switch it off.',
        )}
      </p>
    </Confirm>
  )
}
