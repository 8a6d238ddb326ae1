import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { PASSWORD } from '../../../server/src/domain/settings/access-settings.ts'
import { change } from '../api/client.ts'
import { ApiError } from '../api/error.ts'
import type { SetUp as Body } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { OperatorName, PasswordField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Entrance } from './Entrance.tsx'
import { PasswordStrength } from './PasswordStrength.tsx'
import { MIN_LENGTH } from './strength.ts'

/** The page of the one-time link. Its secret is in the fragment, which browsers send to no server. */
export function SetUp({ token }: { token: string }) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const [password, setPassword] = useState('')
  const [tried, setTried] = useState(false)
  const setUp = useMutation({
    mutationFn: (body: Body) => change('POST', '/setup', body),
    onSuccess: () => {
      // It is used up, and has no business in the history.
      navigate('/', { replace: true })
      return client.invalidateQueries()
    },
  })
  const short = password.length < MIN_LENGTH
  const bad = setUp.error instanceof ApiError && setUp.error.code === 'bad_token'
  return (
    <Entrance title="Set a password">
      <p className="soft">
        It opens this console, which can do everything. The console asks for the password again
        after some hours.
      </p>
      <Form
        error={bad ? null : setUp.error}
        rules={{ password: PASSWORD }}
        onSubmit={() => {
          setTried(true)
          if (!short && !setUp.isPending) setUp.mutate({ token, password })
        }}
      >
        <OperatorName />
        <PasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          autoFocus
          value={password}
          onChange={setPassword}
          help={<PasswordStrength password={password} />}
          error={tried && short ? `It has to have at least ${MIN_LENGTH} characters.` : undefined}
        />
        {bad && (
          <Note kind="danger" alert>
            <p>
              This link was used, or a newer one replaced it. <code>fleetgate operator reset</code>,
              on the server&rsquo;s machine, prints a new one.
            </p>
          </Note>
        )}
        <Button type="submit" look="primary" busy={setUp.isPending}>
          Set password
        </Button>
      </Form>
    </Entrance>
  )
}

/** There is no password, and whoever came here did not come by the link. */
export function LinkNeeded() {
  return (
    <Entrance title="Open the one-time link">
      <p>
        No password is set yet. The server printed a link when it started, which lets you set one;
        it looks like this:
      </p>
      <pre>{`${location.origin}/setup#…`}</pre>
      <p className="soft">
        If it is lost, <code>fleetgate operator reset</code>, on the server&rsquo;s machine, prints
        another.
      </p>
    </Entrance>
  )
}
