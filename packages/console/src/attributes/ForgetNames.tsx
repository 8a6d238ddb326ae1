import { change } from '../api/client.ts'
import type { ForgottenNames } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'

type ForgetNamesProps = { organization: number; onClose: () => void }

/** Forgets all names that no attribute shows. */
export function ForgetNames({ organization, onClose }: ForgetNamesProps) {
  const path = `/organizations/${organization}/attributes/forget`
  return (
    <Confirm
      title={t('Forget unused names?')}
      action={t('Forget names')}
      onClose={onClose}
      onConfirm={() => change<ForgottenNames>('POST', path, { names: null })}
      refreshes={[['organization', organization]]}
      done={({ forgotten }) => t('{{count, number}} names forgotten.', { count: forgotten.length })}
    >
      <p>
        {t(
          'Unused names are removed from the list until a device sends them again. Stored values are kept.',
        )}
      </p>
    </Confirm>
  )
}
