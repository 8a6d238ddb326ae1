import { useState } from 'react'
import { PASSWORD } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { useSession } from '../api/queries.ts'
import type { PasswordChange } from '../api/types.ts'
import { t } from '../language/text.ts'
import { CurrentPassword } from '../sign-in/CurrentPassword.tsx'
import { PasswordStrength } from '../sign-in/PasswordStrength.tsx'
import { UserName } from '../sign-in/SetUp.tsx'
import { MIN_LENGTH } from '../sign-in/strength.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { PasswordField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'

export function ChangePassword({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const save = useSaving({
    request: (body: PasswordChange) => change('PUT', '/password', body),
    done: t('Your password was changed. All other sessions were signed out.'),
    onSaved: onClose,
  })
  const session = useSession()
  const short = next.length < MIN_LENGTH
  return (
    <FormDialog
      title={t('Change password')}
      action={t('Change password')}
      saving={save}
      isReady={!short && current !== ''}
      rules={{ next: PASSWORD }}
      fields={['current']}
      onSubmit={() => save.mutate({ current, next })}
      onClose={onClose}
    >
      <UserName email={session.data?.account?.email ?? ''} />
      <CurrentPassword value={current} onChange={setCurrent} />
      <PasswordField
        label={t('New password')}
        name="next"
        autoComplete="new-password"
        value={next}
        onChange={setNext}
        help={<PasswordStrength password={next} />}
        fault={short && t('Use at least {{minlength}} characters.', { minlength: MIN_LENGTH })}
      />
    </FormDialog>
  )
}
