import type { Identity } from '../../../base/domain/account.ts'

/** Why somebody could not sign in. The console has a text for each (packages/console/src/sign-in/SignOn.tsx). */
export const SIGN_ON_FAILURES = [
  /** The provider cannot be reached, or is not a provider of this issuer. */
  'unavailable',
  /** Too many people sign in at once. */
  'busy',
  /** The provider did not let the person in, or the person gave up there. */
  'cancelled',
  /** This browser began no such sign-in, began it too long ago, or has finished it. */
  'expired',
  /** The answer of the provider does not prove who the person is. */
  'not_verified',
  /** The provider vouches for the person, who has no account here. */
  'no_account',
  /** The same, but not for the address, without which nobody gets an account. */
  'unverified',
  'no_role',
  /** The person is linked with another account than the one that was to be linked. */
  'taken',
  'disabled',
] as const
export type SignOnFailure = (typeof SIGN_ON_FAILURES)[number]

/** The end of a sign-in that failed. The message is for the log: it holds no secret and no claim. */
export class RefusedSignOn extends Error {
  override name = 'RefusedSignOn'
  readonly failure: SignOnFailure
  /** For the log: issuer and subject, once the provider has confirmed who it was. */
  who: object

  constructor(failure: SignOnFailure, message: string, who = {}) {
    super(message)
    this.failure = failure
    this.who = who
  }
}

/** Runs work for a person whom the provider has confirmed. Its refusal says who that is. */
export async function workFor<Result>(
  { issuer, subject }: Identity,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusedSignOn) error.who = { issuer, subject }
    throw error
  }
}

/** The members of the errors of `openid-client` that say what went wrong. */
type LibraryError = Error & { code?: string; error?: unknown; cause?: unknown }

/**
 * The refusal that follows from an error of `openid-client`. Only fixed texts of the library and names of OAuth errors
 * get into the message, because its causes hold tokens.
 */
export function refusalOf(thrown: unknown): RefusedSignOn {
  const error = thrown as LibraryError
  if (error instanceof RefusedSignOn) return error
  if (error.cause instanceof RefusedSignOn) return error.cause
  const reason = error.cause instanceof Error ? error.cause.message : error.message
  if (error.error === undefined) return new RefusedSignOn('not_verified', reason)
  const name = nameOf(error.error)
  const message = `the provider answered ${name}`
  if (UNAVAILABLE.includes(name)) return new RefusedSignOn('unavailable', message)
  const isAnswerOfBrowser = error.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR'
  return new RefusedSignOn(isAnswerOfBrowser ? 'cancelled' : 'not_verified', message)
}

const UNAVAILABLE = ['server_error', 'temporarily_unavailable']

function nameOf(error: unknown): string {
  return typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? error : 'an unknown error'
}
