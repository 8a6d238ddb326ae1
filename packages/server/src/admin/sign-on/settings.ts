import type { SignOnRule } from '../../access/sign-on-rules.ts'
import { Refused } from '../../operator/refused.ts'

/** Single sign-on by OpenID Connect, as the operator configured it. */
export type SignOnSettings = {
  /** The provider, as it writes itself in its metadata and tokens. */
  issuer: URL
  clientId: string
  /** Null: this server is a public client there, which proves itself by PKCE alone. */
  clientSecret: string | null
  /** Separated by spaces. */
  scopes: string
  /** The provider's name on the button. */
  name: string
  /** The claim with the groups of a person. */
  groupsClaim: string
  /** Whether addresses count as verified if the provider does not say whether they are. */
  trustsEmail: boolean
  rules: readonly SignOnRule[]
  /** Whether a person without an account gets one, if a rule gives a role. */
  takesNewPeople: boolean
  /** Whether passwords are refused. */
  isOnlyWay: boolean
}

/** Whether people may sign in with passwords. Links of the command line work in any case, so that nobody locks all out. */
export function takesPasswords(
  signOn: { settings: Pick<SignOnSettings, 'isOnlyWay'> } | null,
): boolean {
  return signOn === null || !signOn.settings.isOnlyWay
}

export function passwordsRefused(): Refused {
  return new Refused(
    403,
    'single_sign_on_only',
    'this server takes no passwords; use single sign-on',
  )
}
