import { useState } from 'react'
import { change } from '../api/client.ts'
import type { TotpChange } from '../api/types.ts'
import { t } from '../language/text.ts'
import { CurrentPassword } from '../sign-in/CurrentPassword.tsx'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { useSaving } from '../ui/form/use-saving.ts'

export function EndCodes({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('')
  const end = useSaving({
    request: (body: TotpChange) => change('PUT', '/account/totp', body),
    refreshes: [['session']],
    done: t('Two-factor authentication is off.'),
    onSaved: onClose,
  })
  return (
    <FormDialog
      title={t('Turn off two-factor authentication')}
      action={t('Turn off two-factor authentication')}
      saving={end}
      isReady={current !== ''}
      fields={['current']}
      onSubmit={() => end.mutate({ current, secret: null })}
      onClose={onClose}
    >
      <p className="soft">
        {t('You will sign in with only your password. Your recovery codes will stop working.')}
      </p>
      <CurrentPassword value={current} onChange={setCurrent} />
    </FormDialog>
  )
}
