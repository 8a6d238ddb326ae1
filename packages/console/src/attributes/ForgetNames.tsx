import { useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { ForgottenNames } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { toast } from '../ui/toast/Toast.tsx'

type ForgetNamesProps = { organization: number; onClose: () => void }

/** Forgets all names that no attribute shows. */
export function ForgetNames({ organization, onClose }: ForgetNamesProps) {
  const client = useQueryClient()
  return (
    <Confirm
      title={t('Forget unused names?')}
      action={t('Forget names')}
      onClose={onClose}
      onConfirm={async () => {
        const path = `/organizations/${organization}/attributes/forget`
        const { forgotten } = await change<ForgottenNames>('POST', path, { names: null })
        await client.invalidateQueries({ queryKey: ['organization', organization] })
        toast(t('{{count, number}} names forgotten.', { count: forgotten.length }))
      }}
    >
      <p>
        {t(
          'Unused names are removed from the list until a device sends them again. Stored values are kept.',
        )}
      </p>
    </Confirm>
  )
}
