import type { AccessSettings } from '../base/domain/account.ts'
import { boolean, described, type Rules } from '../base/domain/setting-rule.ts'
import { acts, OPERATORS, SUPPORTERS } from './act.ts'
import { patchInput } from './input.ts'
import { ACCESS_SETTINGS } from './people-bodies.ts'
import { conflict } from './refused.ts'

export const ACCESS_SETTING_RULES: Rules<AccessSettings> = {
  requiresTotp: described(boolean, {
    description: 'Whether people who sign in with a password need two-factor authentication.',
    help: 'require two-factor authentication from people who sign in with a password',
  }),
}
const PATCH = patchInput('AccessSettingsPatch', ACCESS_SETTING_RULES, 'The settings that change.')

export const ACCESS_SETTING_ACTS = acts('People', {
  getAccessSettings: {
    method: 'GET',
    path: '/access',
    who: SUPPORTERS,
    summary: 'Show the access settings of the deployment',
    answers: ACCESS_SETTINGS,
    run: async ({ store }) => ACCESS_SETTINGS.write(await store.access.settings()),
  },
  updateAccessSettings: {
    method: 'PATCH',
    path: '/access',
    who: OPERATORS,
    isForPeople: true,
    summary: 'Change the access settings of the deployment',
    takes: PATCH,
    answers: ACCESS_SETTINGS,
    async run({ store, by: { account, session }, body }) {
      const next = { ...(await store.access.settings()), ...PATCH.in(body) }
      const hasCodes = account === null || account.hasTotp || session?.isSignOn === true
      if (next.requiresTotp && !hasCodes) {
        throw conflict(
          'set up two-factor authentication for your own account first',
          'requires_totp',
        )
      }
      return ACCESS_SETTINGS.write(await store.access.setSettings(next))
    },
  },
})
