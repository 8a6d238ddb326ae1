import { type Console, startConsole } from './admin.ts'
import { CLIENT, startProvider, type TestProvider } from './provider.ts'

/** A console whose people sign in at a provider. */
export type SignOnConsole = Omit<Console, 'origin'> & { provider: TestProvider; origin: string }

/** A person of the provider, in a group of administrators. */
export const ANN = {
  sub: 'ann',
  name: 'Ann',
  email: 'ann@example.com',
  email_verified: true,
  groups: ['admins'],
}

/** Starts a provider, and a console that is its client. `args`: more options of `serve`. */
export async function startSignOn(args: string[] = []): Promise<SignOnConsole> {
  const provider = await startProvider()
  const console = await startConsole([...signOnArgs(provider), ...args])
  const origin = console.origin()
  provider.register(origin)
  return { ...console, provider, origin }
}

export function signOnArgs({ issuer }: TestProvider): string[] {
  return [
    ...['--sign-on-issuer', issuer, '--sign-on-client', CLIENT.id],
    ...['--sign-on-secret', CLIENT.secret],
    ...['--sign-on-scopes', 'openid profile email groups', '--sign-on-name', 'Fleet ID'],
  ]
}
