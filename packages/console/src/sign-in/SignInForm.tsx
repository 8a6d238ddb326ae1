import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import { ApiError } from '../api/error.ts'
import type { SignIn } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { OperatorName, PasswordField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'

export function SignInForm() {
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [empty, setEmpty] = useState(false)
  const signIn = useMutation({
    mutationFn: (body: SignIn) => change('POST', '/session', body),
    // All of it: what was refused meanwhile is asked for anew.
    onSuccess: () => client.invalidateQueries(),
  })
  const wrong = signIn.error instanceof ApiError && signIn.error.code === 'wrong_password'
  return (
    <Form
      error={wrong ? null : signIn.error}
      fields={['password']}
      onSubmit={() => {
        setEmpty(password === '')
        if (password !== '' && !signIn.isPending) signIn.mutate({ password })
      }}
    >
      <OperatorName />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={(next) => {
          setPassword(next)
          setEmpty(false)
        }}
        error={empty ? 'Enter the password.' : wrong ? 'This is not the password.' : undefined}
      />
      <Button type="submit" look="primary" busy={signIn.isPending}>
        Sign in
      </Button>
      <details className="soft small">
        <summary>Forgot the password?</summary>
        <p>
          On the server&rsquo;s machine, <code>fleetgate operator reset</code> prints a link that
          sets a new one.
        </p>
      </details>
    </Form>
  )
}
