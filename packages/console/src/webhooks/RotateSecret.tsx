import type { IssuedWebhook, Webhook } from '../api/types.ts'
import { RotateDialog } from '../keys/RotateDialog.tsx'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { hostOf } from './words.ts'

type RotateSecretProps = {
  organization: number
  webhook: Webhook
  onClose: () => void
  onIssued: (issued: IssuedWebhook) => void
}

const HELP = {
  overlap: t('Messages have both signatures, so that the receiver can change over in this time.'),
  refused: t('The receiver refuses messages until it has the new secret. They are sent again.'),
}

export function RotateSecret({ webhook, ...rest }: RotateSecretProps) {
  return (
    <RotateDialog
      {...rest}
      path={`/organizations/${rest.organization}/webhooks/${webhook.id}`}
      title={t('Rotate the secret')}
      action={t('Rotate secret')}
      help={HELP}
    >
      <Phrase
        text={'A new secret signs the messages to <code>{{url}}</code>.'}
        values={{ url: hostOf(webhook.url) }}
        parts={{ code: <code /> }}
      />
    </RotateDialog>
  )
}
