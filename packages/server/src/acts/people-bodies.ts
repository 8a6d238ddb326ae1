import { newSecret, ONE_TIME_URL } from '../base/access/secret.ts'
import {
  DEPLOYMENT_ROLE,
  INVITATION_RULES,
  type InvitationSettings,
  ORGANIZATION_ROLE,
  PERSON_NAME,
} from '../base/domain/access-settings.ts'
import {
  type AccessCredential,
  type Account,
  type FoundCredential,
  foldEmail,
  ROLES,
  type Role,
} from '../base/domain/account.ts'
import { boolean, described, optional, type Rules } from '../base/domain/setting-rule.ts'
import { DAY_MS } from '../base/domain/time/time.ts'
import type { Issuer, LastOperator, NotAllowed } from '../engine/store/access-store.ts'
import type { Store } from '../engine/store/store.ts'
import * as doc from './document-schema.ts'
import { newInput, patchInput } from './input.ts'
import { conflict, notFound, Refused, refuseTooMany, signedOut } from './refused.ts'
import { openInvitations } from './ways-in.ts'

/** How long links are valid. */
export const INVITATION_MS = 7 * DAY_MS
export const RESET_MS = DAY_MS

export const HELD_ROLE = doc.record(
  {
    role: doc.choice(ROLES, 'The role of the person.'),
    organization: doc.integerOrNull('In this organization. Null: in the whole deployment.'),
    is_from_sign_on: doc.yes(
      'Whether single sign-on gave it. Then it follows the groups of the provider at each sign-in.',
    ),
  },
  'A role of a person.',
  'HeldRole',
)

/** The form in the console and on the command line. */
export const PERSON = doc.record(
  {
    id: doc.integer('Id of the account.'),
    email: doc.text('The e-mail address, in lower case.'),
    name: doc.text('The name.'),
    roles: doc.list(HELD_ROLE, 'The roles: all of them, or those in the organization of the path.'),
    disabled_at: doc.instantOrNull('Since when the person may not sign in. Null: the person may.'),
    has_password: doc.yes('Whether there is a password.'),
    has_totp: doc.yes(
      'Whether sign-in with the password requires a code (two-factor authentication).',
    ),
    is_linked: doc.yes('Whether the person may sign in by single sign-on.'),
    created_at: doc.instant('When the account was created.'),
    last_sign_in_at: doc.instantOrNull('When the person last signed in. Null: never.'),
  },
  'A person who may sign in.',
  'Person',
)

export const PEOPLE = doc.items(PERSON, 'The people, by id.', 'People')

/** The person as shown to a caller who sees one organization. Null: a caller who sees all. */
export function personIn(account: Account, organization: number | null) {
  const shown = account.roles.filter(
    (each) => organization === null || each.organization === organization,
  )
  return PERSON.write({ ...account, roles: shown })
}

export type PersonPatch = { role: Role | null; isDisabled: boolean; name: string }

const IS_DISABLED = described(
  boolean,
  'Whether the server refuses sign-in to the person. Setting it ends all sessions. Tokens that the person issued do not work while it is set.',
)
const PERSON_RULES: Record<'deployment' | 'organization', Rules<PersonPatch>> = {
  deployment: {
    role: described(
      optional(DEPLOYMENT_ROLE),
      `${DEPLOYMENT_ROLE.description} Null: no role in the deployment; those in organizations stay.`,
    ),
    isDisabled: IS_DISABLED,
    name: PERSON_NAME,
  },
  organization: {
    role: described(
      optional(ORGANIZATION_ROLE),
      `${ORGANIZATION_ROLE.description} Null: no role in this organization.`,
    ),
    isDisabled: IS_DISABLED,
    name: PERSON_NAME,
  },
}

export const PERSON_PATCH = {
  deployment: patchInput<PersonPatch>(
    'PersonPatch',
    PERSON_RULES.deployment,
    'The fields of a person that change. Roles that single sign-on gives stay.',
  ),
  organization: patchInput<PersonPatch>(
    'OrganizationPersonPatch',
    PERSON_RULES.organization,
    'The fields of a person that change. An administrator disables and renames only people who have no role elsewhere.',
  ),
}

export const INVITATION = doc.record(
  {
    id: doc.integer('Id of the invitation.'),
    email: doc.textOrNull(
      'The address that it is for. Null: whoever has the link chooses one, as the first operator does.',
    ),
    role: doc.choice(ROLES, 'The role that it gives.'),
    organization: doc.integerOrNull('In this organization. Null: in the whole deployment.'),
    issued_by: doc.textOrNull('The address of the person who invites. Null: the command line.'),
    created_at: doc.instant('When it was created.'),
    expires_at: doc.instantOrNull('When it expires. Null: never.'),
  },
  'A link by which somebody gets a role, and an account if there is none with this address. It works once.',
  'Invitation',
)
export const INVITATIONS = doc.items(INVITATION, 'The open invitations, by id.', 'Invitations')

export function invitationDocument({ credential, issuedBy }: FoundCredential) {
  const { name, role } = credential
  const by = issuedBy?.email ?? null
  return INVITATION.write({ ...credential, role: role!, email: name || null, issuedBy: by })
}

export const NEW_INVITATION = {
  deployment: newInput<InvitationSettings>(
    'NewInvitation',
    INVITATION_RULES.deployment,
    {},
    'A person to invite.',
  ),
  organization: newInput<InvitationSettings>(
    'NewOrganizationInvitation',
    INVITATION_RULES.organization,
    {},
    'A person to invite to the organization.',
  ),
}

const SECRET = doc.text(
  'The part of the link after `/setup#`, below the console’s address. It is shown only once. Give it only to that person.',
)
export const ISSUED_INVITATION = doc.record(
  { invitation: INVITATION, secret: SECRET },
  'A new invitation.',
  'IssuedInvitation',
)
export const ISSUED_RESET = doc.record(
  { secret: SECRET, expires_at: doc.instant('When the link expires.') },
  'A link for a new password. It works once, and replaces earlier ones.',
  'IssuedReset',
)

export const ACCESS_SETTINGS = doc.record(
  {
    requires_totp: doc.yes(
      'Whether people who sign in with a password need two-factor authentication. Without it, they can only set it up.',
    ),
  },
  'The settings for all people.',
  'AccessSettings',
)

/** Makes an invitation. Its secret is in no other place. Throws `Refused` if the organization has too many. */
export async function invite(
  { access }: Store,
  settings: InvitationSettings & { organization: number | null },
  issuer: Issuer,
  now: number,
): Promise<{ invitation: AccessCredential; secret: string } | 'issuer_ended' | 'no_organization'> {
  const { secret, ...kept } = newSecret(ONE_TIME_URL)
  const { role, organization, email } = settings
  if (organization !== null) {
    refuseTooMany((await openInvitations({ access }, organization, now)).length, 'open invitations')
  }
  const given = { ...kept, kind: 'invitation', role, organization, name: foldEmail(email) } as const
  const invitation = await access.issue({ ...given, expiresAt: now + INVITATION_MS }, issuer, now)
  return typeof invitation === 'string' ? invitation : { invitation, secret }
}

/** Makes the link of the first operator in place of any other. Null if there is an account. */
export async function inviteFirst({ access }: Store, now: number): Promise<string | null> {
  const { secret, ...kept } = newSecret(ONE_TIME_URL)
  // It ends when it is used, or when another replaces it.
  const made = await access.inviteFirst({ ...kept, name: '', expiresAt: null }, now)
  return made === null ? null : secret
}

/** Makes a link for another password. Null if there is no such account, or the issuer may not decide about it. */
export async function issueReset(
  { access }: Store,
  account: number,
  issuer: number | null,
  now: number,
): Promise<{ secret: string; expiresAt: number } | null> {
  const { secret, ...kept } = newSecret(ONE_TIME_URL)
  const expiresAt = now + RESET_MS
  const made = await access.issueReset({ ...kept, name: '', expiresAt, account }, issuer, now)
  return made === null ? null : { secret, expiresAt }
}

/** The person of a change. Throws `Refused` if nothing was changed. */
export function changedPerson(
  outcome: Account | LastOperator | NotAllowed | 'no_organization' | null,
): Account {
  if (outcome === 'unmanaged') throw hasOtherRoles()
  if (outcome === 'caller_ended') throw signedOut()
  if (outcome === 'no_organization') throw notFound('organization')
  if (outcome === null) throw notFound('person')
  if (outcome !== 'last_operator') return outcome
  throw conflict('this is the last operator who can sign in; give somebody else the role first')
}

export function ownAccount(message: string): Refused {
  return new Refused(403, 'own_account', message)
}

export function hasOtherRoles(): Refused {
  return new Refused(
    403,
    'has_other_roles',
    'this person also has a role elsewhere, so only an operator can do this',
  )
}
