import type { IssuedWebhook, Webhook } from '../api/types.ts'
import { RotateDialog } from '../keys/RotateDialog.tsx'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { hostOf } from './webhook-texts.ts'

type RotateSecretProps = {
  organization: number
  webhook: Webhook
  onClose: () => void
  onIssued: (issued: IssuedWebhook) => void
}

const HELP = {
  overlap: t(
    'During this time, messages carry both signatures, so the receiver can switch to the new secret.',
  ),
  refused: t(
    'The receiver rejects messages until it has the new secret. Rejected messages are sent again.',
  ),
}

export function RotateSecret({ webhook, ...rest }: RotateSecretProps) {
  return (
    <RotateDialog
      {...rest}
      path={`/organizations/${rest.organization}/webhooks/${webhook.id}`}
      title={t('Rotate secret')}
      action={t('Rotate secret')}
      help={HELP}
    >
      <Phrase
        text={'Messages to <code>{{url}}</code> will be signed with a new secret.'}
        values={{ url: hostOf(webhook.url) }}
        parts={{ code: <code /> }}
      />
    </RotateDialog>
  )
}
