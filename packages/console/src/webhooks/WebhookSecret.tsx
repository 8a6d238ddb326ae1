import type { IssuedWebhook } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { CopyLine } from '../ui/Copy.tsx'
import { Actions, Dialog } from '../ui/dialog/Dialog.tsx'
import { Note } from '../ui/state/Note.tsx'
import { hostOf } from './words.ts'

type WebhookSecretProps = { issued: IssuedWebhook; onClose: () => void }

export function WebhookSecret({ issued: { webhook, secret }, onClose }: WebhookSecretProps) {
  return (
    <Dialog title={`${hostOf(webhook.url)}: the secret`} wide stays onClose={onClose}>
      <Note kind="warn">
        Copy it now. It will not be shown again. The receiver needs it to verify the signature of
        each message, as Standard Webhooks describes. If it is lost, rotate it.
      </Note>
      <CopyLine label="Secret" text={secret} />
      <Actions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </Actions>
    </Dialog>
  )
}
