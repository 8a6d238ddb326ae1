import { useMutation } from '@tanstack/react-query'
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
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { PasswordField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'

export function ChangePassword({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [tried, setTried] = useState(false)
  const save = useMutation({
    mutationFn: (body: PasswordChange) => change('PUT', '/password', body),
    onSuccess: () => {
      toast(t('The password was changed. All other sessions have ended.'))
      onClose()
    },
  })
  const session = useSession()
  const short = next.length < MIN_LENGTH
  return (
    <Dialog title={t('Change password')} onClose={onClose}>
      <Form
        error={save.error}
        rules={{ next: PASSWORD }}
        fields={['current']}
        onSubmit={() => {
          setTried(true)
          if (!short && current !== '' && !save.isPending) save.mutate({ current, next })
        }}
      >
        <UserName email={session.data?.account?.email ?? ''} />
        <CurrentPassword value={current} onChange={setCurrent} isTried={tried} />
        <PasswordField
          label={t('New password')}
          name="next"
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          help={<PasswordStrength password={next} />}
          error={
            tried && short
              ? t('Use at least {{minlength}} characters.', { minlength: MIN_LENGTH })
              : undefined
          }
        />
        <SubmitOrCancel action={t('Change password')} isBusy={save.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
