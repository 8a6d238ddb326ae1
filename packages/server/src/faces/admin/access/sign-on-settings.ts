import { Refused } from '../../../acts/refused.ts'
import { type HeldRole, isDeploymentRole, ROLES, type Role } from '../../../base/domain/account.ts'

/** Single sign-on by OpenID Connect, as the operator configured it. */
export type SignOnSettings = {
  /** The provider, as it writes itself in its metadata and tokens. */
  issuer: URL
  clientId: string
  /** Null: this server is a public client there, which proves itself by PKCE alone. */
  clientSecret: string | null
  /** Separated by spaces. */
  scopes: string
  /** The provider's name on the button. */
  name: string
  /** The claim with the groups of a person. */
  groupsClaim: string
  /** Whether addresses count as verified if the provider does not say whether they are. */
  trustsEmail: boolean
  rules: readonly SignOnRule[]
  /** Whether a person without an account gets one, if a rule gives a role. */
  takesNewPeople: boolean
  /** Whether passwords are refused. */
  isOnlyWay: boolean
}

/**
 * Whether people may sign in with passwords. Links of the command line work in any case, so that the operator is
 * never locked out.
 */
export function takesPasswords(
  signOn: { settings: Pick<SignOnSettings, 'isOnlyWay'> } | null,
): boolean {
  return signOn === null || !signOn.settings.isOnlyWay
}

export function passwordsRefused(): Refused {
  return new Refused(403, 'single_sign_on_only', 'password sign-in is disabled; use single sign-on')
}

/** The people of these groups at the provider get this role. `*` in `group` matches any text. */
export type SignOnRule = { group: string; gives: HeldRole }

/** The longest name of a group that a rule is compared with. */
const MAX_GROUP_LENGTH = 1_000

/**
 * A rule as operators write it: `fleet-admins=operator`, `acme-*=viewer:12`. Undefined if the text is not a rule. The
 * name of a group may have `=` in it, as those of LDAP do.
 */
export function readSignOnRule(written: string): SignOnRule | undefined {
  const [, group, role, id] = /^(.+)=([a-z]+)(?::([1-9]\d{0,15}))?$/.exec(written) ?? []
  const known = ROLES.find((each) => each === role)
  if (group === undefined || known === undefined) return undefined
  if (isDeploymentRole(known) !== (id === undefined)) return undefined
  const organization = id === undefined ? null : Number(id)
  if (organization !== null && !Number.isSafeInteger(organization)) return undefined
  return { group, gives: { role: known, organization } }
}

/** The roles that rules give to somebody in these groups: the strongest of each organization, and of the deployment. */
export function rolesOfGroups(groups: readonly string[], rules: readonly SignOnRule[]): HeldRole[] {
  const strongest = new Map<number | null, Role>()
  for (const { group, gives } of rules) {
    const { role, organization } = gives
    if (!groups.some((each) => matches(group, each))) continue
    const before = strongest.get(organization)
    if (before === undefined || ROLES.indexOf(role) < ROLES.indexOf(before)) {
      strongest.set(organization, role)
    }
  }
  return Array.from(strongest, ([organization, role]) => ({ role, organization }))
}

/** Takes linear time, because strangers choose the text. */
function matches(pattern: string, text: string): boolean {
  if (text.length > MAX_GROUP_LENGTH) return false
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return text === pattern
  const end = text.length - last.length
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
