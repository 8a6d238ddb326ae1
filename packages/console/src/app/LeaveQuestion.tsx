import { Confirm } from '../ui/dialog/Confirm.tsx'
import { leave, stay, useIsAsked } from '../ui/page/navigation.ts'

/** Asked before a page with unsaved changes is left. */
export function LeaveQuestion() {
  if (!useIsAsked()) return null
  return (
    <Confirm
      title="Leave without saving?"
      action="Leave without saving"
      cancel="Stay on this page"
      onConfirm={async () => leave()}
      onClose={stay}
    >
      <p>The changes on this page are not saved yet. They are lost if you leave.</p>
    </Confirm>
  )
}
