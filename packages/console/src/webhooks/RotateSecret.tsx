import type { IssuedWebhook, Webhook } from '../api/types.ts'
import { RotateDialog } from '../keys/RotateDialog.tsx'
import { hostOf } from './words.ts'

type RotateSecretProps = {
  organization: number
  webhook: Webhook
  onClose: () => void
  onIssued: (issued: IssuedWebhook) => void
}

const HELP = {
  overlap: 'Messages have both signatures, so that the receiver can change over in this time.',
  refused: 'The receiver refuses messages until it has the new secret. They are sent again.',
}

export function RotateSecret({ webhook, ...rest }: RotateSecretProps) {
  return (
    <RotateDialog
      {...rest}
      path={`/organizations/${rest.organization}/webhooks/${webhook.id}`}
      title="Rotate the secret"
      action="Rotate secret"
      help={HELP}
    >
      A new secret signs the messages to <code>{hostOf(webhook.url)}</code>.
    </RotateDialog>
  )
}
