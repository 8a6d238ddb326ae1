import { useState } from 'react'
import { change } from '../api/client.ts'
import type { LinkAccount, SignOnPage } from '../api/types.ts'
import { t } from '../language/text.ts'
import { CurrentPassword } from '../sign-in/CurrentPassword.tsx'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { useSaving } from '../ui/form/use-saving.ts'

/** Leads to the provider of single sign-on, and from there back with an account that is linked. `name`: of the provider. */
export function LinkSignOn({ name, onClose }: { name: string; onClose: () => void }) {
  const [current, setCurrent] = useState('')
  const link = useSaving({
    request: (body: LinkAccount) => change<SignOnPage>('POST', '/account/sign-on', body),
    onSaved: ({ url }) => location.assign(url),
  })
  return (
    <FormDialog
      title={t('Link to {{name}}', { name })}
      action={t('Continue')}
      saving={link}
      isReady={current !== ''}
      fields={['current']}
      onSubmit={() => link.mutate({ current })}
      onClose={onClose}
    >
      <p className="soft">
        {t(
          'Next, sign in with {{name}}. After that, you can sign in here with {{name}} or your password.',
          { name },
        )}
      </p>
      <CurrentPassword value={current} onChange={setCurrent} />
    </FormDialog>
  )
}
