import { t } from '../language/text.ts'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { SignInWays } from './SignInWays.tsx'

/** Above the page, not in its place: what was being typed there is not lost. */
export function SessionEnded() {
  return (
    <Dialog title={t('Sign in again')} stays onClose={() => {}}>
      <p className="soft">
        {t('Your session has expired. Sign in to continue where you left off.')}
      </p>
      <SignInWays stays />
    </Dialog>
  )
}
