import type { ReactNode } from 'react'
import { Button } from '../ui/Button.tsx'
import { Actions, Dialog } from '../ui/dialog/Dialog.tsx'
import { Note } from '../ui/state/Note.tsx'
import type { Words } from './words.ts'

type SecretDialogProps = { words: Words; name: string; onClose: () => void; children: ReactNode }

export function SecretDialog({ words, name, onClose, children }: SecretDialogProps) {
  return (
    <Dialog title={`${name}: your new ${words.one}`} wide stays onClose={onClose}>
      <Note kind="warn">
        Copy it now. It will not be shown again: the server keeps only a digest, so nobody can look
        it up later. If it is lost, issue another.
      </Note>
      {children}
      <Actions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </Actions>
    </Dialog>
  )
}
