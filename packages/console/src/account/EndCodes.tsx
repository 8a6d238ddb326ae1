import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import type { TotpChange } from '../api/types.ts'
import { t } from '../language/text.ts'
import { CurrentPassword } from '../sign-in/CurrentPassword.tsx'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { Form } from '../ui/form/Form.tsx'

export function EndCodes({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [tried, setTried] = useState(false)
  const end = useMutation({
    mutationFn: (body: TotpChange) => change('PUT', '/account/totp', body),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['session'] })
      toast(t('Two-factor authentication is off.'))
      onClose()
    },
  })
  return (
    <Dialog title={t('Turn off two-factor authentication')} onClose={onClose}>
      <p className="soft">
        {t('You then sign in with your password only. Your recovery codes stop working.')}
      </p>
      <Form
        error={end.error}
        fields={['current']}
        onSubmit={() => {
          setTried(true)
          if (current !== '' && !end.isPending) end.mutate({ current, secret: null })
        }}
      >
        <CurrentPassword value={current} onChange={setCurrent} isTried={tried} />
        <SubmitOrCancel
          action={t('Turn off two-factor authentication')}
          isBusy={end.isPending}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  )
}
