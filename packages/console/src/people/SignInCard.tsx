import { useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import { useAccessSettings } from '../api/queries.ts'
import type { AccessSettings, AccessSettingsPatch } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { useMayChange } from '../ui/changing.tsx'
import { CheckField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { Loaded } from '../ui/state/Loaded.tsx'

/** The settings that hold for everybody who signs in. */
export function SignInCard() {
  const settings = useAccessSettings()
  const client = useQueryClient()
  const mayChange = useMayChange()
  const save = useSaving({
    request: (body: AccessSettingsPatch) => change<AccessSettings>('PATCH', '/access', body),
    done: (saved) =>
      saved.requires_totp
        ? t('Two-factor authentication is now required.')
        : t('Two-factor authentication is now optional.'),
    onAnswer: (saved) => client.setQueryData(['access'], saved),
  })
  return (
    <Card title={t('Sign-in')}>
      <Loaded query={settings} lines={1}>
        {({ requires_totp }) => (
          <Form saving={save} fields={['requires_totp']} onSubmit={() => {}}>
            <CheckField
              label={t('Require two-factor authentication')}
              name="requires_totp"
              value={requires_totp}
              onChange={(next) => {
                if (mayChange && !save.isPending) save.mutate({ requires_totp: next })
              }}
              help={t(
                'Applies to everyone who signs in with a password. Anyone without 2FA must set it up before doing anything else. Set up your own first.',
              )}
            />
          </Form>
        )}
      </Loaded>
    </Card>
  )
}
