import { t } from '../language/text.ts'
import { Note } from '../ui/state/Note.tsx'

/** Says why records are missing: the server derives them when they are first asked for. */
export function Deriving() {
  return (
    <div role="status">
      <Note kind="warn">
        {t(
          'The server is deriving records from the stored positions of this organization for the first time. They appear here when they are ready.',
        )}
      </Note>
    </div>
  )
}
