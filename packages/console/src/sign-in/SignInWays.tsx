import { useSession } from '../api/queries.ts'
import { SignInForm } from './SignInForm.tsx'
import { SignOnWay } from './SignOn.tsx'

type SignInWaysProps = {
  /** The address of the person who was here before. */
  email?: string
  /** Whether this page has to stay, for what was being typed in it. */
  stays?: boolean
}

/** The ways to sign in: at the provider of single sign-on, and with a password. */
export function SignInWays({ email = '', stays = false }: SignInWaysProps) {
  const takesPasswords = useSession().data?.takes_passwords ?? true
  return (
    <>
      <SignOnWay stays={stays} />
      {takesPasswords && <SignInForm email={email} />}
    </>
  )
}
