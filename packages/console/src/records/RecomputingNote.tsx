import { t } from '../language/text.ts'
import { Note } from '../ui/state/Note.tsx'

/** Says that records of some objects are about to change. */
export function RecomputingNote({ objects }: { objects: number }) {
  if (objects === 0) return null
  return (
    <div role="status">
      <Note kind="warn">
        {t(
          'Recomputing stored positions of {{count, number}} objects. Their records will update when this is done.',
          { count: objects },
        )}
      </Note>
    </div>
  )
}
