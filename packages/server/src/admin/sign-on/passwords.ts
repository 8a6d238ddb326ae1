import { Refused } from '../../operator/refused.ts'
import type { SignOn } from './sign-on.ts'

/** Whether people may sign in with passwords. Links of the command line work in any case, so that nobody locks all out. */
export function takesPasswords(signOn: SignOn | null): boolean {
  return signOn === null || !signOn.settings.isOnlyWay
}

export function passwordsRefused(): Refused {
  return new Refused(
    403,
    'single_sign_on_only',
    'this server takes no passwords; use single sign-on',
  )
}
