import { type HeldRole, isOperator, manages } from './role.ts'

/** A role of a person. Single sign-on sets its own roles at each sign-in, and leaves the others as they are. */
export type AccountRole = HeldRole & { isFromSignOn: boolean }

/** A person who may sign in. */
export type Account = {
  id: number
  /** As `foldEmail` writes it. No two accounts have the same. */
  email: string
  name: string
  /** Milliseconds since the epoch, as all times here. */
  createdAt: number
  /** Since when the person may not sign in. Null: the person may. */
  disabledAt: number | null
  lastSignInAt: number | null
  hasPassword: boolean
  /** Whether sign-in with the password asks for a code. */
  hasTotp: boolean
  /** Whether the person may sign in by single sign-on. */
  isLinked: boolean
  /** The deployment's first, then by organization. */
  roles: AccountRole[]
}

/**
 * Whether somebody with the roles `by` may make a link for another password of a person. Whoever comes by single sign-on
 * does not notice that there is a password, and may get roles later that its holder then has too.
 */
export function mayReset(
  by: readonly HeldRole[],
  { roles, isLinked }: Pick<Account, 'roles' | 'isLinked'>,
): boolean {
  return isLinked ? isOperator(by) : manages(by, roles)
}

/** A person at a provider of single sign-on: `iss` and `sub` of OpenID Connect. */
export type Identity = { issuer: string; subject: string }

/** The secrets that prove who somebody is. They never leave the server. */
export type AccountSecrets = {
  /** The stored form of the password. Null: there is none. */
  password: string | null
  /** The secret of the codes, Base32. Null: none are asked for. */
  totp: string | null
}

/** Codes by time, and the hashes of those for the loss of the device. */
export type SecondFactor = { totp: string; recoveryCodes: readonly string[] }

/** The decisions of operators about all ways in. */
export type AccessSettings = {
  /** Whether everybody who signs in with a password needs codes too. */
  requiresTotp: boolean
}

/** The form in which addresses are compared: one address has one account, however somebody types it. */
export function foldEmail(email: string): string {
  return email.normalize('NFKC').toLowerCase()
}
