import { counted } from '../ui/format.ts'
import { Note } from '../ui/state/Note.tsx'

/** Says that records of some objects are about to change. */
export function RecomputingNote({ objects }: { objects: number }) {
  if (objects === 0) return null
  return (
    <div role="status">
      <Note kind="warn">
        The server is recomputing the stored positions of {counted(objects, 'object')}. Their
        records change when it is done.
      </Note>
    </div>
  )
}
