import type { IssuedWebhook } from '../api/types.ts'
import { t } from '../language/text.ts'
import { CopyLine } from '../ui/Copy.tsx'
import { ShownOnce } from '../ui/dialog/ShownOnce.tsx'
import { hostOf } from './webhook-texts.ts'

type WebhookSecretProps = { issued: IssuedWebhook; onClose: () => void }

export function WebhookSecret({ issued: { webhook, secret }, onClose }: WebhookSecretProps) {
  return (
    <ShownOnce
      title={t('Secret for {{url}}', { url: hostOf(webhook.url) })}
      note={t(
        'Copy the secret now. It will not be shown again. The receiver needs it to verify the signature of each message, as described by Standard Webhooks. If you lose the secret, rotate it.',
      )}
      onClose={onClose}
    >
      <CopyLine label={t('Secret')} text={secret!} />
    </ShownOnce>
  )
}
