import { PREFIX } from '../api/prefix.ts'
import { useSession } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { Note } from '../ui/state/Note.tsx'
import '../ui/Button.css'

/** The parameter with which the server leads back here if somebody could not sign in (faces/admin/sign-on/sign-on-operations.ts). */
const FAILURE = 'sign_on'

/** Why somebody could not sign in, by the names of the server (faces/admin/sign-on/refused-sign-on.ts). */
const FAILURES: Record<string, string> = {
  unavailable: t(
    'The sign-in service could not be reached or is not set up correctly. The server’s log says why. Try again later.',
  ),
  busy: t('Many people are signing in right now. Try again in a moment.'),
  cancelled: t('The sign-in was canceled, or you have no access to this server. Try again.'),
  expired: t(
    'This sign-in took too long, was already used, or was started in another browser. Try again.',
  ),
  not_verified: t('The sign-in service’s response could not be verified. Try again.'),
  no_account: t(
    'No account here is linked to your sign-in. If you have a password here, sign in with it and choose “Link to …” under Account. Otherwise, ask an administrator for an invitation.',
  ),
  unverified: t(
    'The sign-in service has not verified your email address, so no account was created. Verify it there, or ask an administrator.',
  ),
  no_role: t('Your account no longer has a role here. Ask an administrator.'),
  taken: t('This sign-in is already linked to another account here. Nothing was changed.'),
  disabled: t('Your account is disabled. Ask an administrator.'),
}

/**
 * The way to the provider of single sign-on and back, and why it failed the last time. Nothing if there is no provider.
 * `stays`: whether this page has to stay, for what was being typed in it.
 */
export function SignOnWay({ stays = false }: { stays?: boolean }) {
  const { sign_on: provider = null, takes_passwords: takesPasswords } = useSession().data ?? {}
  if (provider === null) return null
  const failure = new URLSearchParams(location.search).get(FAILURE)
  // It leaves the console, so no router follows it.
  return (
    <>
      {failure !== null && (
        <Note kind="danger" alert>
          <p>{FAILURES[failure] ?? t('Sign-in failed. Try again.')}</p>
        </Note>
      )}
      <a
        href={`${PREFIX}/sign-on/start?to=${encodeURIComponent(stays ? '/' : wayBack())}`}
        className={takesPasswords ? 'button' : 'button button-primary'}
        {...(stays && { target: '_blank', rel: 'noopener' })}
      >
        {t('Sign in with {{provider}}', { provider })}
      </a>
    </>
  )
}

/** The page that was asked for, without the failure of a sign-on before. */
function wayBack(): string {
  const url = new URL(location.href)
  url.searchParams.delete(FAILURE)
  return url.pathname + url.search
}
