import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { leave, stay } from '../ui/page/navigation.ts'

/** Asked before a page with unsaved changes is left. */
export function LeaveQuestion() {
  return (
    <Confirm
      title={t('Leave without saving?')}
      action={t('Leave without saving')}
      cancel={t('Stay on this page')}
      onConfirm={async () => leave()}
      onClose={stay}
    >
      <p>{t('You have unsaved changes. If you leave this page, they will be lost.')}</p>
    </Confirm>
  )
}
