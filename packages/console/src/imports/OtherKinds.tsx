import type { ReactNode } from 'react'
import type { ImportKind } from '../../../server/src/base/domain/import-formats.ts'
import { Button } from '../ui/Button.tsx'
import { Note } from '../ui/state/Note.tsx'
import { IMPORTS } from './formats.ts'

type OtherKindsProps = {
  kinds: readonly ImportKind[]
  onKind: (kind: ImportKind) => void
  children: ReactNode
}

/** A file that this import does not take, with a button for each import that does. */
export function OtherKinds({ kinds, onKind, children }: OtherKindsProps) {
  return (
    <Note kind="warn" alert>
      <p>{children}</p>
      <div className="row">
        {kinds.map((kind) => (
          <Button key={kind} small onClick={() => onKind(kind)}>
            {IMPORTS[kind]}
          </Button>
        ))}
      </div>
    </Note>
  )
}
