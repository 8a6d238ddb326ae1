import { t } from '../language/text.ts'
import { Note } from '../ui/state/Note.tsx'

/** Says why records are missing: the server derives them when they are first asked for. */
export function Deriving() {
  return (
    <div role="status">
      <Note kind="warn">
        {t(
          'Records are being computed from this organization’s stored positions for the first time. They will appear here when they are ready.',
        )}
      </Note>
    </div>
  )
}
