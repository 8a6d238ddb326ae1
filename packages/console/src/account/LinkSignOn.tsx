import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import type { LinkAccount, SignOnPage } from '../api/types.ts'
import { t } from '../language/text.ts'
import { CurrentPassword } from '../sign-in/CurrentPassword.tsx'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { Form } from '../ui/form/Form.tsx'

/** Leads to the provider of single sign-on, and from there back with an account that is linked. `name`: of the provider. */
export function LinkSignOn({ name, onClose }: { name: string; onClose: () => void }) {
  const [current, setCurrent] = useState('')
  const [tried, setTried] = useState(false)
  const link = useMutation({
    mutationFn: (body: LinkAccount) => change<SignOnPage>('POST', '/account/sign-on', body),
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <Dialog title={t('Link with {{name}}', { name })} onClose={onClose}>
      <p className="soft">
        {t(
          'Next, you sign in with {{name}}. After that, you can sign in here with {{name}} or with your password.',
          { name },
        )}
      </p>
      <Form
        error={link.error}
        fields={['current']}
        onSubmit={() => {
          setTried(true)
          if (current !== '' && !link.isPending) link.mutate({ current })
        }}
      >
        <CurrentPassword value={current} onChange={setCurrent} isTried={tried} />
        <SubmitOrCancel action={t('Continue')} isBusy={link.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
