import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import { useSession } from '../api/queries.ts'
import type { NewTotp, RecoveryCodes, TotpChange } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { CopyLine } from '../ui/Copy.tsx'
import { TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { QrCode } from '../ui/QrCode.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Note } from '../ui/state/Note.tsx'
import { CurrentPassword } from './CurrentPassword.tsx'
import { UserName } from './SetUp.tsx'

/** Codes of an authenticator app for sign-in. `onDone`: left out where nothing else is open before. */
export function SetUpCodes({ onDone }: { onDone?: () => void }) {
  const client = useQueryClient()
  const session = useSession()
  const secret = useQuery({
    queryKey: ['new-totp'],
    queryFn: () => change<NewTotp>('POST', '/account/totp'),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const [current, setCurrent] = useState('')
  const [code, setCode] = useState('')
  const save = useSaving({
    request: (body: TotpChange) => change<RecoveryCodes>('PUT', '/account/totp', body),
  })
  if (save.data !== undefined) {
    const finish = onDone ?? (() => void client.invalidateQueries({ queryKey: ['session'] }))
    return <Recovery codes={save.data.recovery_codes} onDone={finish} />
  }
  return (
    <Loaded query={secret} lines={3}>
      {({ secret: given, uri }) => (
        <Form
          saving={save}
          isReady={current !== '' && code !== ''}
          fields={['current', 'code']}
          onSubmit={() => save.mutate({ current, secret: given, code: code.replaceAll(' ', '') })}
        >
          <p className="soft">
            {t(
              'Scan this QR code with an authenticator app, or type the secret into the app. Then enter the code that the app shows.',
            )}
          </p>
          <QrCode label={t('QR code with the secret')} text={uri} />
          <CopyLine label={t('Secret')} text={given} />
          <UserName email={session.data?.account?.email ?? ''} />
          <TextField
            label={t('Code')}
            name="code"
            autoComplete="one-time-code"
            value={code}
            onChange={setCode}
            fault={code === '' && t('Enter the code.')}
          />
          <CurrentPassword value={current} onChange={setCurrent} />
          <Button type="submit" look="primary" busy={save.isPending}>
            {t('Set up two-factor authentication')}
          </Button>
        </Form>
      )}
    </Loaded>
  )
}

function Recovery({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <div className="stack">
      <Note kind="warn">
        {t(
          'Save these recovery codes. They will not be shown again. If you lose your authenticator app, sign in with one of them. Each code works once.',
        )}
      </Note>
      <CopyLine label={t('Recovery codes')} text={codes.join('\n')} />
      <Button look="primary" onClick={onDone}>
        {t('I have saved these codes')}
      </Button>
    </div>
  )
}
