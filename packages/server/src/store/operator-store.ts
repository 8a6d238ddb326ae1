import type {
  AttemptCount,
  OperatorCredential,
  OperatorCredentialKind,
  Reach,
} from '../domain/operator.ts'
import type { Note } from './audit-store.ts'

export type NewOperatorCredential<Kind extends OperatorCredentialKind = OperatorCredentialKind> =
  Omit<OperatorCredential, 'id' | 'kind' | 'createdAt' | 'lastUsedAt' | 'issuer' | keyof Reach> & {
    kind: Kind
  }
export type NewOperatorToken = NewOperatorCredential<'token'> & Reach

/**
 * The operator's access to the deployment: the password, and the credentials that replace it (setup links,
 * sessions, tokens). Reports no change.
 */
export interface OperatorStore {
  /** The hash of the password. Null before the first password and after a reset. */
  password(): Promise<string | null>
  /**
   * Deletes the password, all setup links and all sessions, and issues this setup link, in one transaction.
   * Also deletes all tokens if `withTokens` is set. Returns the deleted tokens.
   */
  reset(
    setup: NewOperatorCredential<'setup'>,
    withTokens: boolean,
    now: number,
    note?: Note<OperatorCredential[]>,
  ): Promise<OperatorCredential[]>
  /** Issues this setup link and deletes all others. Null, without a change, if there is a password. */
  invite(setup: NewOperatorCredential<'setup'>, now: number): Promise<OperatorCredential | null>
  /**
   * Sets the first password and deletes the setup link that was used. False if `setupHash` is not the hash
   * of a setup link valid at `now`, or if there is a password. Of several calls at once one succeeds.
   */
  claim(setupHash: string, passwordHash: string, now: number, note?: Note<true>): Promise<boolean>
  /**
   * Replaces the password `previous` with `next` and ends all sessions except the one with the id `keep`.
   * Both are hashes. False, without a change, if `previous` is not the current password.
   */
  changePassword(
    previous: string,
    next: string,
    keep: number | null,
    note?: Note<true>,
  ): Promise<boolean>
  /**
   * Opens a session for the password with this hash. Null if it is not the current password any more, so
   * that no session outlives a change of the password during the check.
   */
  signIn(
    session: NewOperatorCredential<'session'>,
    password: string,
    now: number,
    note?: Note<OperatorCredential>,
  ): Promise<OperatorCredential | null>
  /**
   * Issues a token. `by` is the id of the session or token that asks for it and must still be valid, or null
   * for the command line. A token ends with its issuer and with its organization.
   */
  issue(
    token: NewOperatorToken,
    by: number | null,
    now: number,
    note?: Note<OperatorCredential>,
  ): Promise<OperatorCredential | 'issuer_ended' | 'no_organization'>
  /** By hash, including expired credentials. Finds a session only if the password is unchanged since. */
  find(hash: string): Promise<OperatorCredential | null>
  /** The credentials of one kind by id, ascending, including expired ones. */
  list(kind: OperatorCredentialKind): Promise<OperatorCredential[]>
  /** Deletes a session, or a token and all tokens that it issued. Returns the deleted ones, by id. */
  revoke(
    kind: 'session' | 'token',
    id: number,
    note?: Note<OperatorCredential[]>,
  ): Promise<OperatorCredential[]>
  /** Notes when a credential was last used. */
  touch(id: number, usedAt: number): Promise<void>
  /** Deletes the credentials that expired before a moment. */
  purge(before: number): Promise<void>
  /** The counts of sign-in attempts of these origins. An origin without attempts is left out. */
  attempts(origins: readonly string[]): Promise<AttemptCount[]>
  /**
   * Replaces the counts of these origins with the result of `change`. Calls run one after the other, and
   * `change` may run again. Also deletes each count whose last attempt and last sign-in are older than
   * `forget`, in milliseconds since the epoch.
   */
  changeAttempts(
    origins: readonly string[],
    change: (stored: AttemptCount[]) => AttemptCount[],
    forget: { attemptsBefore: number; signInsBefore: number },
  ): Promise<void>
}
