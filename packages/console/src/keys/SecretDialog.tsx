import type { ReactNode } from 'react'
import { t } from '../language/text.ts'
import { ShownOnce } from '../ui/dialog/ShownOnce.tsx'
import type { Words } from './words.ts'

type SecretDialogProps = { words: Words; name: string; onClose: () => void; children: ReactNode }

export function SecretDialog({ words, name, onClose, children }: SecretDialogProps) {
  return (
    <ShownOnce
      title={words.issued(name)}
      note={t(
        'Copy it now. It will not be shown again: the server keeps only a digest, so nobody can look it up later. If it is lost, issue another.',
      )}
      onClose={onClose}
    >
      {children}
    </ShownOnce>
  )
}
