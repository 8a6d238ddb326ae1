import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change } from '../api/client.ts'
import { ApiError } from '../api/error.ts'
import type { SignIn } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { PasswordField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'

/** `email`: the address of the person who was here before. */
export function SignInForm({ email: known = '' }: { email?: string }) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [asksForCode, setAsksForCode] = useState(false)
  const signIn = useSignIn(() => setAsksForCode(true))
  const refusal = signIn.error instanceof ApiError ? signIn.error.code : null
  const isMissing = email.trim() === '' || password === '' || (asksForCode && code === '')
  const isShown = ['wrong_password', 'wrong_code', 'code_required'].includes(refusal ?? '')
  return (
    <Form
      saving={isShown ? { ...signIn, error: null } : signIn}
      isReady={!isMissing}
      fields={['email', 'password', 'code']}
      onSubmit={() =>
        signIn.mutate({ email: email.trim(), password, code: asksForCode ? code : null })
      }
    >
      <TextField
        label={t('Email address')}
        name="email"
        type="email"
        autoComplete="username"
        autoFocus={known === ''}
        value={email}
        onChange={setEmail}
        fault={email.trim() === '' && t('Enter your email address.')}
      />
      <PasswordField
        label={t('Password')}
        name="password"
        autoComplete="current-password"
        autoFocus={known !== ''}
        value={password}
        onChange={setPassword}
        fault={password === '' && t('Enter your password.')}
        error={refusal === 'wrong_password' ? t('Wrong email address or password.') : undefined}
      />
      {asksForCode && (
        <CodeField code={code} onChange={setCode} isWrong={refusal === 'wrong_code'} />
      )}
      <Button type="submit" look="primary" busy={signIn.isPending}>
        {t('Sign in')}
      </Button>
      <ForgottenPassword />
    </Form>
  )
}

/** `onCodeNeeded`: the password is right, and the account has codes. */
function useSignIn(onCodeNeeded: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: SignIn) => change('POST', '/session', body),
    // All of it: what was refused meanwhile is asked for again.
    onSuccess: () => client.invalidateQueries(),
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'code_required') onCodeNeeded()
    },
  })
}

type CodeFieldProps = {
  code: string
  onChange: (code: string) => void
  isWrong: boolean
}

function CodeField({ code, onChange, isWrong }: CodeFieldProps) {
  return (
    <TextField
      label={t('Code')}
      name="code"
      autoComplete="one-time-code"
      autoFocus
      value={code}
      onChange={onChange}
      help={t('From your authenticator app, or one of your recovery codes.')}
      fault={code === '' && t('Enter the code.')}
      error={
        isWrong
          ? t('This code is wrong or has expired. Enter the code that the app shows now.')
          : undefined
      }
    />
  )
}

function ForgottenPassword() {
  return (
    <details className="soft small">
      <summary>{t('Forgot your password?')}</summary>
      <p>
        <Phrase
          text="Ask an operator or an administrator of your organization for a password reset link. On the server, <code>fleetgate people reset</code> creates one."
          parts={{ code: <code /> }}
        />
      </p>
    </details>
  )
}
