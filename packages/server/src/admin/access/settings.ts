import type { AccessSettings } from '../../domain/account.ts'
import { boolean, described } from '../../domain/setting-rule.ts'
import { OPERATORS, SUPPORTERS } from '../../operator/act.ts'
import { patchInput } from '../../operator/input.ts'
import { ACCESS_SETTINGS } from '../../operator/people.ts'
import { conflict } from '../../operator/refused.ts'
import { operations } from '../admin-api.ts'

const PATCH = patchInput<AccessSettings>(
  'AccessSettingsPatch',
  {
    requiresTotp: described(
      boolean,
      'Whether everybody who signs in with a password needs codes of an authenticator app.',
    ),
  },
  'The settings that change.',
)

export const ACCESS_SETTING_OPERATIONS = operations('People', [
  {
    id: 'getAccessSettings',
    method: 'GET',
    path: '/access',
    who: SUPPORTERS,
    summary: 'Show the settings for all people',
    answers: ACCESS_SETTINGS,
    run: async ({ api }) => ACCESS_SETTINGS.write(await api.store.access.settings()),
  },
  {
    id: 'updateAccessSettings',
    method: 'PATCH',
    path: '/access',
    who: OPERATORS,
    isForPeople: true,
    summary: 'Change the settings for all people',
    takes: PATCH,
    answers: ACCESS_SETTINGS,
    async run({ store, caller, body }) {
      const next = { ...(await store.access.settings()), ...PATCH.in(body) }
      const { account, credential } = caller!
      if (next.requiresTotp && !account!.hasTotp && !credential.isSignOn) {
        throw conflict('set up codes for your own account first', 'requires_totp')
      }
      return ACCESS_SETTINGS.write(await store.access.setSettings(next))
    },
  },
])
