import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { EMAIL, PASSWORD, PERSON_NAME } from '../../../server/src/base/domain/access-settings.ts'
import { change } from '../api/client.ts'
import { ApiError } from '../api/error.ts'
import type { SetUp as Body, Link } from '../api/types.ts'
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

/** The effect of a one-time link. Its secret is in the fragment, which browsers send to no server. */
export function useLink(token: string) {
  return useQuery({
    queryKey: ['link', token],
    queryFn: () => change<Link>('POST', '/link', { token }),
    retry: false,
  })
}

/** Whether a query is about anything but the link, which is used up by now. */
export function isNoLink({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== 'link'
}

/** The page of a one-time link, for somebody who has not signed in. */
export function SetUp({ token }: { token: string }) {
  const link = useLink(token)
  const [hasAccount, setHasAccount] = useState(false)
  if (link.error instanceof ApiError && link.error.code === 'bad_token') {
    return (
      <Entrance title="Sign in">
        <Note>
          This link was used, or it has expired. Sign in, or ask for a new link:{' '}
          <code>fleetgate people</code>, on the server&rsquo;s machine, makes one too.
        </Note>
        <SignInWays />
      </Entrance>
    )
  }
  if (link.data === undefined) {
    return (
      <Entrance title="One-time link">
        <Loaded query={link}>{() => null}</Loaded>
      </Entrance>
    )
  }
  if (hasAccount) {
    return (
      <Entrance title="Sign in">
        <Note>You are invited. Sign in to accept.</Note>
        <SignInWays email={link.data.email ?? ''} />
      </Entrance>
    )
  }
  return <NewPassword token={token} link={link.data} onSignIn={() => setHasAccount(true)} />
}

type NewPasswordProps = {
  token: string
  link: Link
  /** The person has an account. The server does not say so: the link may be in the hands of somebody else. */
  onSignIn: () => void
}

function NewPassword({ token, link, onSignIn }: NewPasswordProps) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [tried, setTried] = useState(false)
  const isNew = link.kind === 'invitation'
  const setUp = useSetUp()
  const isShort = password.length < MIN_LENGTH
  const lacksEmail = link.email === null && email.trim() === ''
  const lacksName = isNew && name.trim() === ''
  return (
    <Entrance title={isNew ? 'Create your account' : 'Set a password'}>
      <p className="soft">{purposeOf(link)}</p>
      {isNew && link.email !== null && <SignOnWay />}
      <Form
        error={setUp.error}
        rules={{ password: PASSWORD, name: PERSON_NAME, email: EMAIL }}
        onSubmit={() => {
          setTried(true)
          if (isShort || lacksEmail || lacksName || setUp.isPending) return
          const person = isNew ? { name: name.trim() } : {}
          const address = link.email === null ? { email: email.trim() } : {}
          setUp.mutate({ token, password, ...person, ...address })
        }}
      >
        {link.email === null ? (
          <TextField
            label="E-mail address"
            name="email"
            type="email"
            autoComplete="username"
            autoFocus
            value={email}
            onChange={setEmail}
            help="You sign in with it. Nothing is sent to it."
            error={tried && lacksEmail ? 'Enter your e-mail address.' : undefined}
          />
        ) : (
          <UserName email={link.email} />
        )}
        {isNew && (
          <TextField
            label="Your name"
            name="name"
            autoComplete="name"
            autoFocus={link.email !== null}
            value={name}
            onChange={setName}
            error={tried && lacksName ? 'Enter your name.' : undefined}
          />
        )}
        <PasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          autoFocus={!isNew}
          value={password}
          onChange={setPassword}
          help={<PasswordStrength password={password} />}
          error={tried && isShort ? `It needs at least ${MIN_LENGTH} characters.` : undefined}
        />
        <Button type="submit" look="primary" busy={setUp.isPending}>
          {isNew ? 'Create account' : 'Set password'}
        </Button>
      </Form>
      {isNew && link.email !== null && (
        <Button look="quiet" onClick={onSignIn}>
          I have an account
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

function purposeOf({ kind, email, role, organization }: Link): string {
  if (kind === 'reset') return `For ${email}. All sessions of this account end.`
  if (email === null) return 'You are the first operator: your account can do everything here.'
  const place = organization === null ? 'this deployment' : organization
  return `${email} is invited to ${place} with the role ${role}.`
}

/** Password managers take the user name from it. */
export function UserName({ email }: { email: string }) {
  return <input hidden readOnly name="username" autoComplete="username" value={email} />
}

/** There is no account, and whoever came here did not come by the link. */
export function LinkNeeded() {
  return (
    <Entrance title="Open the one-time link">
      <p>
        There is no account yet. The server printed a link when it started, which makes the first
        one; it looks like this:
      </p>
      <pre>{`${location.origin}/setup#…`}</pre>
      <SignOnWay />
      <p className="soft">
        If it is lost, restart the server, or run{' '}
        <code>fleetgate people invite you@example.com --role operator</code> on its machine.
      </p>
    </Entrance>
  )
}
