import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { EMAIL, PASSWORD, PERSON_NAME } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { ApiError } from '../api/error.ts'
import type { SetUp as Body, OneTimeUrl } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { ROLE_NAMES } from '../people/role-texts.ts'
import { Button } from '../ui/Button.tsx'
import { PasswordField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Entrance } from './Entrance.tsx'
import { PasswordStrength } from './PasswordStrength.tsx'
import { SignInWays } from './SignInWays.tsx'
import { SignOnWay } from './SignOn.tsx'
import { MIN_LENGTH } from './strength.ts'

/** The effect of a one-time URL. Its secret is in the fragment, which browsers send to no server. */
export function useLink(token: string) {
  return useQuery({
    queryKey: ['link', token],
    queryFn: () => change<OneTimeUrl>('POST', '/link', { token }),
    retry: false,
  })
}

/** Whether a query is about anything but the link, which is used up by now. */
export function isNoLink({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== 'link'
}

/** The page of a one-time URL, for somebody who has not signed in. */
export function SetUp({ token }: { token: string }) {
  const link = useLink(token)
  const [hasAccount, setHasAccount] = useState(false)
  if (link.error instanceof ApiError && link.error.code === 'bad_token') {
    return (
      <Entrance title={t('Sign in')}>
        <Note>
          <Phrase
            text="This link was already used or has expired. Sign in, or ask for a new link. On the server, <code>fleetgate people</code> creates one."
            parts={{ code: <code /> }}
          />
        </Note>
        <SignInWays />
      </Entrance>
    )
  }
  if (link.data === undefined) {
    return (
      <Entrance title={t('One-time URL')}>
        <Loaded query={link}>{() => null}</Loaded>
      </Entrance>
    )
  }
  if (hasAccount) {
    return (
      <Entrance title={t('Sign in')}>
        <Note>{t('You have been invited. Sign in to accept.')}</Note>
        <SignInWays email={link.data.email ?? ''} />
      </Entrance>
    )
  }
  return <NewPassword token={token} link={link.data} onSignIn={() => setHasAccount(true)} />
}

type NewPasswordProps = {
  token: string
  link: OneTimeUrl
  /** The person has an account. The server does not say so: the link may be in the hands of somebody else. */
  onSignIn: () => void
}

function NewPassword({ token, link, onSignIn }: NewPasswordProps) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const isNew = link.kind === 'invitation'
  const setUp = useSetUp()
  const isShort = password.length < MIN_LENGTH
  const lacksEmail = link.email === null && email.trim() === ''
  const lacksName = isNew && name.trim() === ''
  return (
    <Entrance title={isNew ? t('Create your account') : t('Set a password')}>
      <p className="soft">{purposeOf(link)}</p>
      {isNew && link.email !== null && <SignOnWay />}
      <Form
        saving={setUp}
        isReady={!isShort && !lacksEmail && !lacksName}
        rules={{ password: PASSWORD, name: PERSON_NAME, email: EMAIL }}
        onSubmit={() => {
          const person = isNew ? { name: name.trim() } : {}
          const address = link.email === null ? { email: email.trim() } : {}
          setUp.mutate({ token, password, ...person, ...address })
        }}
      >
        {link.email === null ? (
          <TextField
            label={t('Email address')}
            name="email"
            type="email"
            autoComplete="username"
            autoFocus
            value={email}
            onChange={setEmail}
            help={t('Used to sign in. Fleetgate does not send email.')}
            fault={lacksEmail && t('Enter your email address.')}
          />
        ) : (
          <UserName email={link.email} />
        )}
        {isNew && (
          <TextField
            label={t('Your name')}
            name="name"
            autoComplete="name"
            autoFocus={link.email !== null}
            value={name}
            onChange={setName}
            fault={lacksName && t('Enter your name.')}
          />
        )}
        <PasswordField
          label={t('New password')}
          name="password"
          autoComplete="new-password"
          autoFocus={!isNew}
          value={password}
          onChange={setPassword}
          help={<PasswordStrength password={password} />}
          fault={isShort && t('Use at least {{minlength}} characters.', { minlength: MIN_LENGTH })}
        />
        <Button type="submit" look="primary" busy={setUp.isPending}>
          {isNew ? t('Create account') : t('Set password')}
        </Button>
      </Form>
      {isNew && link.email !== null && (
        <Button look="quiet" onClick={onSignIn}>
          {t('I already have an account')}
        </Button>
      )}
    </Entrance>
  )
}

function useSetUp() {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: (body: Body) => change('POST', '/setup', body),
    onSuccess: () => {
      // It is used up, so remove it from the history of the browser.
      navigate('/', { replace: true })
      return client.invalidateQueries({ predicate: isNoLink })
    },
  })
}

function purposeOf({ kind, email, role, organization }: OneTimeUrl): string {
  if (kind === 'reset')
    return t('For {{email}}. Setting a new password ends all sessions of this account.', {
      email: email ?? '',
    })
  if (email === null) return t('You are the first operator. Your account has full access.')
  const place = organization === null ? t('this deployment') : organization
  return t('Invitation for {{email}}: {{role}} in {{place}}.', {
    email,
    place,
    role: role === null ? '' : ROLE_NAMES[role],
  })
}

/** Password managers take the user name from it. */
export function UserName({ email }: { email: string }) {
  return <input hidden readOnly name="username" autoComplete="username" value={email} />
}

/** There is no account, and whoever came here did not come by the link. */
export function LinkNeeded() {
  return (
    <Entrance title={t('Open the one-time URL')}>
      <p>
        {t(
          'There is no account yet. The server printed a one-time URL when it started. Open it to create the first account. It looks like this:',
        )}
      </p>
      <pre>{`${location.origin}/setup#…`}</pre>
      <SignOnWay />
      <p className="soft">
        <Phrase
          text="Lost the link? Restart the server, or run <code>fleetgate people invite you@example.com --role operator</code> on the server."
          parts={{ code: <code /> }}
        />
      </p>
    </Entrance>
  )
}
