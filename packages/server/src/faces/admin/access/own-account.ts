import * as doc from '../../../acts/document-schema.ts'
import { newInput } from '../../../acts/input.ts'
import { conflict, invalid, Refused, signedOut } from '../../../acts/refused.ts'
import {
  hashRecoveryCode,
  isTotpSecret,
  newRecoveryCodes,
  newTotpSecret,
  stepOf,
  totpUri,
} from '../../../base/access/totp.ts'
import { PASSWORD } from '../../../base/domain/access-settings.ts'
import type { Account } from '../../../base/domain/account.ts'
import { described, optional, TEXT } from '../../../base/domain/setting-rule.ts'
import { type Call, operations, Reply } from '../admin-api.ts'
import { hashInTurn, isGiven } from './password.ts'
import { deviceCookie } from './session.ts'

export const CURRENT = described(TEXT, 'The current password.')

const PASSWORD_CHANGE = newInput<{ current: string; next: string }>(
  'PasswordChange',
  { current: CURRENT, next: described(PASSWORD, 'The new password.') },
  {},
  'A new password. All other sessions of the person end.',
)

const NEW_TOTP = doc.record(
  {
    secret: doc.text('The secret for the authenticator app. The server does not store it yet.'),
    uri: doc.text('The same as an address for a QR code.'),
  },
  'A secret for two-factor authentication.',
  'NewTotp',
)

const TOTP = newInput<{ current: string; secret: string | null; code: string }>(
  'TotpChange',
  {
    current: CURRENT,
    secret: described(
      optional(TEXT),
      'The secret of `POST /account/totp`. Null: turn two-factor authentication off.',
    ),
    code: described(TEXT, 'A code that the app shows for this secret.'),
  },
  { code: '' },
  'Two-factor authentication for sign-in with the password.',
  {},
  ['secret'],
)

const RECOVERY_CODES = doc.record(
  {
    recovery_codes: doc.texts(
      'Recovery codes for sign-in without the device, each for one sign-in. They are shown only once. Empty if two-factor authentication was turned off.',
    ),
  },
  'The recovery codes.',
  'RecoveryCodes',
)

export const OWN_ACCOUNT_OPERATIONS = operations('Own account', [
  {
    id: 'changePassword',
    method: 'PUT',
    path: '/password',
    who: 'people',
    summary: 'Change your password, which ends all your other sessions',
    isLimited: true,
    takes: PASSWORD_CHANGE,
    async run(call) {
      const { api, caller, body, store } = call
      const { current, next } = PASSWORD_CHANGE.in(body)
      const { account, kept, device } = await provenBy(call, current)
      const hash = await hashInTurn(next)
      const keep = caller!.credential.id
      if (!(await store.accounts.changePassword(account.id, kept, hash, keep))) throw signedOut()
      return new Reply(null, { 'Set-Cookie': deviceCookie(api, device) })
    },
  },
  {
    id: 'newTotp',
    method: 'POST',
    path: '/account/totp',
    who: 'people',
    needsNoCodes: true,
    summary: 'Create a secret for two-factor authentication; `PUT` turns it on',
    status: 200,
    answers: NEW_TOTP,
    async run({ caller }) {
      const secret = newTotpSecret()
      return NEW_TOTP.write({ secret, uri: totpUri(secret, caller!.account!.email) })
    },
  },
  {
    id: 'setTotp',
    method: 'PUT',
    path: '/account/totp',
    who: 'people',
    needsNoCodes: true,
    summary: 'Turn two-factor authentication on or off',
    isLimited: true,
    takes: TOTP,
    status: 200,
    answers: RECOVERY_CODES,
    async run(call) {
      const { body, store, now } = call
      const { current, secret, code } = TOTP.in(body)
      if (secret !== null && !isTotpSecret(secret)) {
        throw invalid({ field: 'secret', rule: 'must be a secret of POST /account/totp, or null' })
      }
      if (!/^\d{6}$/.test(code) && (secret !== null || code !== '')) {
        throw invalid({ field: 'code', rule: 'must be a code of six digits' })
      }
      const { account } = await provenBy(call, current)
      if (secret === null) {
        if ((await store.access.settings()).requiresTotp) {
          throw conflict('this deployment requires two-factor authentication', 'secret')
        }
        await store.accounts.setSecondFactor(account.id, null)
        return RECOVERY_CODES.write({ recoveryCodes: [] })
      }
      const step = stepOf(secret, code, now)
      if (step === undefined) {
        throw new Refused(400, 'wrong_code', 'this code is wrong or has expired', {
          field: 'code',
        })
      }
      const recoveryCodes = newRecoveryCodes()
      const factor = { totp: secret, recoveryCodes: recoveryCodes.map(hashRecoveryCode) }
      await store.accounts.setSecondFactor(account.id, factor)
      // The code was seen on the screen, so it does not open a session as well.
      await store.accounts.takeStep(account.id, step)
      return RECOVERY_CODES.write({ recoveryCodes })
    },
  },
])

/** The account of the caller, who has given the current password. Throws `Refused`. */
export async function provenBy(
  call: Call,
  current: string,
): Promise<{ account: Account; kept: string; device: string }> {
  const { api, caller } = call
  const account = caller!.account!
  const client = { ...call, email: account.email }
  await api.signIns.begin('change_password', client)
  const kept = (await api.store.accounts.secrets(account.id))?.password ?? null
  if (!(await isGiven(current, kept))) {
    api.signIns.failed('change_password', client)
    throw new Refused(400, 'wrong_password', 'the password is wrong', { field: 'current' })
  }
  return { account, kept: kept!, device: await api.signIns.succeeded('change_password', client) }
}
