import type { Account, AccountSecrets, Identity, SecondFactor } from '../domain/account.ts'
import type { HeldRole, Role } from '../domain/role.ts'
import type { Note } from './audit-store.ts'

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
 * The changes of a person. `role`: the role in an organization, or (null) in the deployment, beside what single sign-on
 * gives there. A role of null ends it.
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
