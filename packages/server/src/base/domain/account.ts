/** Roles of the whole deployment. `operator` may do everything, `support` reads everything and changes nothing. */
export const DEPLOYMENT_ROLES = ['operator', 'support'] as const
/** Roles in one organization. `administrator` runs it within its limits, `viewer` looks at it and sees no secrets. */
export const ORGANIZATION_ROLES = ['administrator', 'viewer'] as const
export const ROLES = [...DEPLOYMENT_ROLES, ...ORGANIZATION_ROLES] as const
export type Role = (typeof ROLES)[number]

/** A role, and where it holds: in one organization, or (null) in the whole deployment. */
export type HeldRole = { role: Role; organization: number | null }

export function isDeploymentRole(role: Role): role is (typeof DEPLOYMENT_ROLES)[number] {
  return DEPLOYMENT_ROLES.includes(role as never)
}

/** Whether somebody with these roles may do all that `inner` allows. Nobody gives more than that to another. */
export function covers(roles: readonly HeldRole[], inner: HeldRole): boolean {
  return roles.some(({ role, organization }) => {
    if (role === 'operator') return true
    if (role === 'support') return inner.role === 'support' || inner.role === 'viewer'
    if (organization !== inner.organization) return false
    return role === 'administrator' || inner.role === 'viewer'
  })
}

/**
 * Whether somebody with the roles `by` may decide about all ways in of a person with the roles `of`. An administrator
 * may not take over a person who has a role elsewhere too.
 */
export function manages(by: readonly HeldRole[], of: readonly HeldRole[]): boolean {
  const isManaged = ({ organization }: HeldRole) =>
    by.some((each) => each.role === 'administrator' && each.organization === organization)
  return isOperator(by) || (of.length > 0 && of.every(isManaged))
}

/** Whether somebody with these roles may give and end roles in an organization, or (null) in the deployment. */
export function givesRolesIn(roles: readonly HeldRole[], organization: number | null): boolean {
  return covers(roles, { role: organization === null ? 'operator' : 'administrator', organization })
}

export function isOperator(roles: readonly HeldRole[]): boolean {
  return roles.some(({ role }) => role === 'operator')
}

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
  /** Whether sign-in with the password requires a code (two-factor authentication). */
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

/**
 * A way in: a one-time URL by which somebody gets an account or a role, a one-time URL to set another password, a
 * browser session, or a token for a program. Only the hash of its secret is stored.
 */
export const ACCESS_CREDENTIALS = ['invitation', 'reset', 'session', 'token'] as const
export type AccessCredentialKind = (typeof ACCESS_CREDENTIALS)[number]

export type AccessCredential = {
  id: number
  kind: AccessCredentialKind
  /**
   * The name of a token, the browser of a session, or the address that an invitation is for: empty if its holder
   * chooses the address.
   */
  name: string
  /** SHA-256 of the secret, base64url. */
  hash: string
  prefix: string
  lastFour: string
  /** Milliseconds since the epoch. */
  createdAt: number
  expiresAt: number | null
  /** To the minute. */
  lastUsedAt: number | null
  /** The account of a session, or of the new password. Null with a token or an invitation. */
  account: number | null
  /** The role of a token, or the one that an invitation gives. Null with a session or a new password: the account has roles. */
  role: Role | null
  organization: number | null
  /** The account of the person who issued it, directly or by tokens. Null: the command line did. */
  issuedBy: number | null
  /** The token that issued it. When the issuer ends, this one ends too. */
  issuer: number | null
  /** Whether a session was opened by single sign-on. */
  isSignOn: boolean
  /**
   * The provider's id of the sign-in that opened a session (`sid` of OpenID Connect), as `hashSecret` writes it: the provider
   * can end that session alone. Null: the provider gave none.
   */
  sid: string | null
}

/** A credential with the accounts that it names, as they are now. */
export type FoundCredential = {
  credential: AccessCredential
  account: Account | null
  issuedBy: Account | null
}

/** The role of a token or an invitation. */
export function roleOf({ role, organization }: AccessCredential): HeldRole {
  return { role: role!, organization }
}

/**
 * Whether a credential is in force: it has not expired, its person is not disabled, and the person who issued it may
 * still give that role.
 */
export function isInForce(found: FoundCredential, now: number): boolean {
  const { credential, account, issuedBy } = found
  const { kind, expiresAt } = credential
  if (expiresAt !== null && expiresAt <= now) return false
  if (credential.account !== null && (account === null || account.disabledAt !== null)) return false
  if (credential.issuedBy === null) return true
  if (issuedBy === null || issuedBy.disabledAt !== null) return false
  if (kind === 'reset') return mayReset(issuedBy.roles, account!)
  return covers(issuedBy.roles, roleOf(credential))
}

/** The tokens with this id, and those that it issued, directly or through others. */
export function issuedThrough(tokens: readonly AccessCredential[], id: number): AccessCredential[] {
  const ids = new Set([id])
  // A token is issued after its issuer and has a higher id.
  return tokens.filter((each) => {
    const isOne = ids.has(each.id) || ids.has(each.issuer ?? 0)
    if (isOne) ids.add(each.id)
    return isOne
  })
}

/** Attempts to sign in of one origin: a browser or a place as an account, a network, an account, or all strangers. */
export type AttemptCount = {
  origin: string
  /** Attempts since the last success. Each is counted before its password is checked. */
  failures: number
  /** When the last attempt began, in milliseconds since the epoch. */
  at: number
  /** When somebody last signed in from there; null if nobody has. */
  signedInAt: number | null
}
