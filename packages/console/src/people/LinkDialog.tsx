import { Button } from '../ui/Button.tsx'
import { CopyLine } from '../ui/Copy.tsx'
import { Actions, Dialog } from '../ui/dialog/Dialog.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Time } from '../ui/time/Time.tsx'
import { linkOf } from './words.ts'

type LinkDialogProps = {
  title: string
  secret: string
  endsAt: string | null
  onClose: () => void
}

export function LinkDialog({ title, secret, endsAt, onClose }: LinkDialogProps) {
  return (
    <Dialog title={title} wide stays onClose={onClose}>
      <Note kind="warn">
        Copy the link now, and give it to that person alone. It will not be shown again, and works
        once, until <Time value={endsAt} as="minute" none="it is used" />.
      </Note>
      <CopyLine label="Link" text={linkOf(secret)} />
      <Actions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </Actions>
    </Dialog>
  )
}
