import type {
  AccessCredential,
  AccessCredentialKind,
  AccessSettings,
  Account,
  AccountSecrets,
  AttemptCount,
  FoundCredential,
  HeldRole,
  Identity,
  Role,
  SecondFactor,
} from '../../base/domain/account.ts'
import type { Note } from './audit-store.ts'

/** The secret of a credential, as it is stored. */
type Stored = Pick<AccessCredential, 'name' | 'hash' | 'prefix' | 'lastFour' | 'expiresAt'>

/** The issuer of a credential: the account and the token of the caller. Both are null for the command line. */
export type Issuer = { account: number | null; token: number | null }

/** A token or an invitation, and its role. */
export type NewRoleCredential = Stored & HeldRole & { kind: 'token' | 'invitation' }
export type NewSession = Stored & { account: number; isSignOn: boolean; sid: string | null }
export type NewReset = Stored & { account: number }

/**
 * Sessions that a provider of single sign-on ends: of a person there (`subject`), or of one of its sign-ins (`sid`, as it is
 * stored), or of both.
 */
export type EndedSignOn = { issuer: string; subject: string | null; sid: string | null }

/** The proof that the holder of a session is its person, as it was checked: the stored password, or the identity. */
export type Proof = { password: string } | { identity: Identity }

/** The person of an invitation who has no account yet. `email`: as `foldEmail` writes it. */
type Newcomer = { email: string; name: string; password: string }

/** Where people reach the console, and trackers the feed: origins. Null: not known. */
export type PublicAddresses = {
  apiUrl: string | null
  consoleUrl: string | null
  feedUrl: string | null
}

/** The ways in: sessions, tokens, and one-time URLs. Calls that change them or accounts run one after the other. */
export interface AccessStore {
  settings(): Promise<AccessSettings>
  setSettings(
    settings: AccessSettings,
    note?: Note<AccessSettings, AccessSettings>,
  ): Promise<AccessSettings>
  /** As the server that last started said. */
  addresses(): Promise<PublicAddresses>
  setAddresses(addresses: PublicAddresses): Promise<void>
  /** By hash, in force (`isInForce`) or not. */
  find(hash: string): Promise<FoundCredential | null>
  /** The credentials of one kind by id, ascending, in force or not. */
  list(kind: AccessCredentialKind): Promise<FoundCredential[]>
  /**
   * Opens a session and notes the sign-in. Null if the account is disabled or the proof is no longer valid, so that
   * no session survives a change made during the check.
   */
  openSession(
    session: NewSession,
    proof: Proof,
    now: number,
    note?: Note<AccessCredential>,
  ): Promise<AccessCredential | null>
  /**
   * Issues a token or an invitation. `issuer_ended`: the issuer may not give this role any more. A credential ends with
   * the token that issued it and with its organization.
   */
  issue(
    given: NewRoleCredential,
    issuer: Issuer,
    now: number,
    note?: Note<AccessCredential>,
  ): Promise<AccessCredential | 'issuer_ended' | 'no_organization'>
  /** Issues the invitation of the first operator in place of any other of its kind. Null if there is an account. */
  inviteFirst(invitation: Stored, now: number): Promise<AccessCredential | null>
  /**
   * Issues a link for another password in place of any other for the same account. Null if there is no such account, or
   * `issuer` may not decide about it.
   */
  issueReset(
    reset: NewReset,
    issuer: number | null,
    now: number,
    note?: Note<AccessCredential>,
  ): Promise<AccessCredential | null>
  /** Makes an account by an invitation in force, and ends the invitation. Null if there is no such invitation. */
  acceptAsNewcomer(
    hash: string,
    newcomer: Newcomer,
    now: number,
    note?: Note<Account>,
  ): Promise<Account | 'email_taken' | null>
  /** Gives the role of an invitation in force to an account, whose address it must be for, and ends the invitation. */
  acceptAs(
    hash: string,
    account: number,
    now: number,
    note?: Note<Account, Account>,
  ): Promise<Account | null>
  /**
   * Sets another password by a link in force, and ends the link, the second factor and all sessions of the person. Null
   * if there is no such link.
   */
  resetPassword(
    hash: string,
    password: string,
    now: number,
    note?: Note<Account>,
  ): Promise<Account | null>
  /** Deletes a credential, and all tokens that a token issued. Returns the deleted ones, by id. */
  revoke(
    kind: AccessCredentialKind,
    id: number,
    note?: Note<AccessCredential[]>,
  ): Promise<AccessCredential[]>
  /** Ends the sessions of an account except one. Returns how many. */
  endSessions(account: number, keep: number | null, note?: Note<number>): Promise<number>
  /**
   * Ends the sessions that single sign-on opened for a person, or by one of the person's sign-ins there. A session whose `sid`
   * is not known may be of any sign-in of the person. Returns the ended ones, by id.
   */
  endSignOn(ended: EndedSignOn, note?: Note<AccessCredential[]>): Promise<AccessCredential[]>
  /** Notes when a credential was last used. */
  touch(id: number, usedAt: number): Promise<void>
  /** Deletes the credentials that expired before a moment. */
  purge(before: number): Promise<void>
}

/** A person without roles. */
export type NewAccount = {
  /** As `foldEmail` writes it. */
  email: string
  name: string
  /** The stored form. Null: the person comes by single sign-on alone. */
  password: string | null
  identity: Identity | null
}

/**
 * The changes of a person. `role`: the role in an organization, or (null) in the deployment, in addition to what
 * single sign-on gives there. A role of null ends it.
 */
export type AccountPatch = {
  name?: string
  isDisabled?: boolean
  role?: { role: Role | null; organization: number | null }
}

/** A change that would leave the deployment without an operator who can sign in. Nothing was changed. */
export type LastOperator = 'last_operator'

/**
 * A change of a person by somebody who may not make it. `unmanaged`: that one does not manage the person (`manages`), or may not
 * give or end the role (`givesRolesIn`). `caller_ended`: that one is disabled, or deleted. Nothing was changed.
 */
export type NotAllowed = 'unmanaged' | 'caller_ended'

/**
 * The people who may sign in, with their roles. Calls that change a person run one after the other. None of them takes
 * the way in from the last operator. Null, without a change: there is no such account.
 */
export interface AccountStore {
  /** Whether there is any account. */
  exist(): Promise<boolean>
  /** By id, ascending. */
  list(): Promise<Account[]>
  find(account: number): Promise<Account | null>
  /** By an address in the form of `foldEmail`. */
  byEmail(email: string): Promise<Account | null>
  byIdentity(identity: Identity): Promise<Account | null>
  secrets(account: number): Promise<AccountSecrets | null>
  create(
    account: NewAccount,
    now: number,
    note?: Note<Account>,
  ): Promise<Account | 'email_taken' | 'identity_taken'>
  /** Lets the person come by this identity too. */
  link(
    account: number,
    identity: Identity,
    note?: Note<Account>,
  ): Promise<Account | 'identity_taken' | null>
  /**
   * Ends the single sign-on of a person: all identities, the sessions that it opened, and the roles that it gave. `by`: the
   * person who does it. Null: the command line.
   */
  unlink(
    account: number,
    by: number | null,
    note?: Note<Account, Account>,
  ): Promise<Account | LastOperator | NotAllowed | 'not_linked' | null>
  /**
   * Deletes a person with all that depends on the account: sessions, links, and the tokens and invitations that the
   * person issued. Returns the person as it was. `by`: as with `unlink`.
   */
  delete(
    account: number,
    by: number | null,
    note?: Note<Account>,
  ): Promise<Account | LastOperator | NotAllowed | null>
  /** Changes all or nothing. Disabling a person also ends the person's sessions. `by`: as with `unlink`. */
  update(
    account: number,
    patch: AccountPatch,
    by: number | null,
    now: number,
    note?: Note<Account, Account>,
  ): Promise<Account | LastOperator | NotAllowed | 'no_organization' | null>
  /** Replaces all roles that came from single sign-on. Those in organizations that do not exist are left out. */
  setSignOnRoles(
    account: number,
    roles: readonly HeldRole[],
    note?: Note<Account, Account>,
  ): Promise<Account | LastOperator | null>
  /**
   * Replaces the password `previous` with `next` (stored forms) and ends the person's sessions except the one with the
   * id `keep`. False, without a change, if `previous` is not the current password.
   */
  changePassword(
    account: number,
    previous: string,
    next: string,
    keep: number | null,
    note?: Note<Account>,
  ): Promise<boolean>
  /** Replaces the second factor, and its used codes. Null: sign-in asks for none. False: there is no such account. */
  setSecondFactor(
    account: number,
    factor: SecondFactor | null,
    note?: Note<Account>,
  ): Promise<boolean>
  /** Takes the code of a step of time. False if the code of this step or of a later one was taken before. */
  takeStep(account: number, step: number): Promise<boolean>
  /** Takes a recovery code, by its hash. False if there is none, or it was taken before. */
  takeRecoveryCode(account: number, hash: string, note?: Note<Account>): Promise<boolean>
}

/** The counts of attempts to sign in. */
export interface AttemptStore {
  /** The counts of these origins. An origin without attempts is left out. */
  of(origins: readonly string[]): Promise<AttemptCount[]>
  /**
   * Replaces the counts of these origins with the result of `change`. Calls run one after the other, and
   * `change` may run again. Also deletes each count whose last attempt and last sign-in are older than
   * `forget`, in milliseconds since the epoch.
   */
  change(
    origins: readonly string[],
    change: (stored: AttemptCount[]) => AttemptCount[],
    forget: { attemptsBefore: number; signInsBefore: number },
  ): Promise<void>
}
