import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import { useAccessSettings } from '../api/queries.ts'
import type { AccessSettings, AccessSettingsPatch } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { useMayChange } from '../ui/changing.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { CheckField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'

/** The settings that hold for everybody who signs in. */
export function SignInCard() {
  const settings = useAccessSettings()
  const client = useQueryClient()
  const mayChange = useMayChange()
  const save = useMutation({
    mutationFn: (body: AccessSettingsPatch) => change<AccessSettings>('PATCH', '/access', body),
    onSuccess: (saved) => {
      client.setQueryData(['access'], saved)
      toast(saved.requires_totp ? t('Codes are now required.') : t('Codes are now optional.'))
    },
  })
  return (
    <Card title={t('Sign-in')}>
      <Loaded query={settings} lines={1}>
        {({ requires_totp }) => (
          <Form error={save.error} fields={['requires_totp']} onSubmit={() => {}}>
            <CheckField
              label={t('Everybody who signs in with a password needs codes')}
              name="requires_totp"
              value={requires_totp}
              onChange={(next) => {
                if (mayChange && !save.isPending) save.mutate({ requires_totp: next })
              }}
              help={t(
                'Codes come from an authenticator app. A person without codes can only set them up. Set up your own first.',
              )}
            />
          </Form>
        )}
      </Loaded>
    </Card>
  )
}
