import { OPERATORS, SUPPORTERS } from '../../../acts/act.ts'
import { patchInput } from '../../../acts/input.ts'
import { ACCESS_SETTINGS } from '../../../acts/people.ts'
import { conflict } from '../../../acts/refused.ts'
import type { AccessSettings } from '../../../base/domain/account.ts'
import { boolean, described } from '../../../base/domain/setting-rule.ts'
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
