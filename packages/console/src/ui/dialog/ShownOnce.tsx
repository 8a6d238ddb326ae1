import type { ReactNode } from 'react'
import { t } from '../../language/text.ts'
import { Button } from '../Button.tsx'
import { Note } from '../state/Note.tsx'
import { Actions, Dialog } from './Dialog.tsx'

type ShownOnceProps = { title: string; note: ReactNode; onClose: () => void; children: ReactNode }

/** A dialog with a secret that is never shown again. It stays until the reader has copied the secret. */
export function ShownOnce({ title, note, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} wide stays onClose={onClose}>
      <Note kind="warn">{note}</Note>
      {children}
      <Actions>
        <Button look="primary" onClick={onClose}>
          {t('I have copied it')}
        </Button>
      </Actions>
    </Dialog>
  )
}
