import { FEED_TOKEN, kindOfKey, newSecret, type SecretKind } from '../base/access/secret.ts'
import { FEED_TOKEN_RULES, KEY_RULES, ROTATION_RULES } from '../base/domain/access-settings.ts'
import {
  type Credential,
  DISCLOSEE_RULES,
  type Disclosee,
  discloseeFault,
  FEED_CLIENTS,
  sameLifetime,
  stateOf,
  TEST_SCENARIOS,
} from '../base/domain/credential.ts'
import {
  type KeyScope,
  limitedOrNull,
  readScope,
  SCOPE_RULES,
  type ScopeSettings,
  scopeDocument,
  shareFault,
} from '../base/domain/key-scope.ts'
import type { Organization } from '../base/domain/organization.ts'
import { DEPLOYMENT } from '../base/domain/routing-rule.ts'
import { HOUR_MS } from '../base/domain/time/time.ts'
import type { KeyStore, NewKey } from '../engine/store/key-store.ts'
import type { Store } from '../engine/store/store.ts'
import type { ActCall } from './act.ts'
import * as doc from './document-schema.ts'
import { GRANTS, refuseForeign } from './grants.ts'
import { newInput, patchInput, refuse } from './input.ts'
import { conflict, existing, invalid, refuseTooMany } from './refused.ts'

const SCOPE = doc.settingFields<ScopeSettings>(SCOPE_RULES)
const DISCLOSEE = doc.settingFields<Disclosee>(DISCLOSEE_RULES)

const scopeOrNull = (
  schema: doc.Schema,
): doc.Field<KeyScope | null, ReturnType<typeof scopeDocument>> => ({
  schema: { ...schema, type: ['object', 'null'] },
  write: scopeDocument,
})

/** The scope that a caller gives, unless it is null. */
export const GIVEN_SCOPE = patchInput<ScopeSettings>(
  null,
  SCOPE_RULES,
  'The data and operations that the key has access to. Null or absent: full access.',
)
const SCOPE_OR_NULL = scopeOrNull(GIVEN_SCOPE.schema)

export const CREDENTIAL = doc.record(
  {
    id: doc.integer('Its id.'),
    name: doc.text('Its name.'),
    prefix: doc.text('Its first characters.'),
    last_four: doc.text('Its last four characters.'),
    created_at: doc.instant('When it was issued.'),
    expires_at: doc.instantOrNull('When it expires. Null: never.'),
    revoked_at: doc.instantOrNull('When it was revoked. Null: it was not.'),
    last_used_at: doc.instantOrNull('When it was last used, to the minute. Null: never.'),
    scope: scopeOrNull(
      doc.record(
        {
          ...SCOPE,
          objects: doc.optional(SCOPE.objects),
          data_from: doc.optional(SCOPE.data_from),
          data_until: doc.optional(SCOPE.data_until),
          attributes: doc.optional(SCOPE.attributes),
          grants: doc.optional(GRANTS),
        },
        'The data and operations that an API key has access to. Null: full access. A feed token has none.',
      ).schema,
    ),
    scenario: doc.choiceOrNull(
      TEST_SCENARIOS,
      'How the simulated fleet answers a test key. Null: it is not a test key.',
    ),
    client: doc.choiceOrNull(
      FEED_CLIENTS,
      'The app that sends with a feed token, which decides its units. Null: the units of the formats. An API key has none.',
    ),
    ...DISCLOSEE,
    lacks_purpose: doc.yes(
      'Whether it has no recipient or purpose although its organization requires them. It works, but cannot be rotated.',
    ),
    requests_today: doc.integer('Requests with it since 00:00 UTC.'),
    requests_30_days: doc.integer('Requests with it in the last 30 days, today among them.'),
  },
  'An API key or a feed token. The server does not store the secret.',
  'Credential',
)

export const CREDENTIALS = doc.items(
  CREDENTIAL,
  'Keys or tokens by id, including revoked and expired ones.',
  'Credentials',
)

export const ISSUED_CREDENTIAL = doc.record(
  { credential: CREDENTIAL, secret: doc.text('The secret itself. It is shown only once.') },
  'A new key or token.',
  'IssuedCredential',
)

const EXPIRES_AT = doc.optional(doc.instantOrNull('When it expires. Null or absent: never.'))

export const NEW_FEED_TOKEN = newInput(
  'NewFeedToken',
  FEED_TOKEN_RULES,
  {},
  'A feed token to issue.',
  { expires_at: EXPIRES_AT },
)

export const NEW_KEY = newInput('NewKey', KEY_RULES, {}, 'An API key to issue.', {
  expires_at: EXPIRES_AT,
  scope: doc.optional(SCOPE_OR_NULL),
})

export const KEY_PATCH = patchInput<Disclosee>(
  'KeyPatch',
  DISCLOSEE_RULES,
  'The settings of an API key that change. Data that was already given keeps the recipient and the purpose of that time.',
  { scope: SCOPE_OR_NULL },
)

export const ROTATION = newInput(
  'Rotation',
  ROTATION_RULES,
  {},
  'A key to issue in place of another.',
)

export type IssuedCredential = { credential: Credential; secret: string }

/** The organization of a credential, and what it requires of its keys. */
export type CredentialOwner = Pick<Organization, 'id' | 'keysNeedPurpose'>
/** The owner of the feed tokens of the deployment. */
export const DEPLOYMENT_OWNER: CredentialOwner = { id: DEPLOYMENT, keysNeedPurpose: false }

type Requests = { today: number; lately: number }

/** A credential as the console and the command line show it, with its requests of today and of the last 30 days. */
export function credentialDocument(
  owner: CredentialOwner,
  credential: Credential,
  { today: requestsToday, lately: requests30Days }: Requests = { today: 0, lately: 0 },
) {
  const isKey = !credential.prefix.startsWith(FEED_TOKEN)
  const lacksPurpose = isKey && discloseeFault(owner, credential) !== undefined
  return CREDENTIAL.write({ ...credential, lacksPurpose, requestsToday, requests30Days })
}

/**
 * `kind`: of the secret. Undefined: the scenario of an API key decides. Throws `Refused` if a key lacks what its owner
 * requires.
 */
export async function issueCredential(
  keys: KeyStore,
  owner: CredentialOwner,
  wanted: Omit<NewKey, 'hash' | 'prefix' | 'lastFour'> & Disclosee & Pick<Credential, 'scenario'>,
  now: number,
  kind: SecretKind = kindOfKey(wanted),
): Promise<IssuedCredential> {
  if (kind !== FEED_TOKEN) refuse(discloseeFault(owner, wanted))
  await refuseMore(keys, owner, now)
  const { secret, ...kept } = newSecret(kind)
  return { credential: await keys.issue(owner.id, { ...kept, ...wanted }, now), secret }
}

type Rotated = {
  keys: KeyStore
  owner: CredentialOwner
  id: number
  noun: string
  /** The kind of the secret. Undefined: as of the old one. */
  kind?: SecretKind | undefined
  /** When the new one expires. Undefined: it lasts as long as the old one was given. */
  expiresAt?(old: Credential): number | undefined | null
}

/**
 * Issues a credential in place of an active one, which stays valid for as long as the body says (`ROTATION`). Throws
 * `Refused` if there is none of that id, it has ended, or it lacks what its owner requires of keys.
 */
export async function rotateCredential(
  { body, now }: Pick<ActCall, 'body' | 'now'>,
  { keys, owner, id, noun, kind, expiresAt }: Rotated,
): Promise<IssuedCredential> {
  const overlapMs = Math.round(ROTATION.in(body).overlapHours * HOUR_MS)
  const old = await credentialOf(keys, owner.id, id, noun)
  if (stateOf(old, now) !== 'active') {
    throw conflict(`the ${noun} has expired or was revoked; issue a new one`)
  }
  const fault = kind === FEED_TOKEN ? undefined : discloseeFault(owner, old)
  if (fault !== undefined) {
    throw conflict(`${fault.field} ${fault.rule}; set both on the key, then rotate it`, fault.field)
  }
  await refuseMore(keys, owner, now)
  const { secret, ...kept } = newSecret(kind ?? kindOfKey(old))
  const lasts = expiresAt?.(old) ?? sameLifetime(old, now)
  const replacement = { ...kept, name: old.name, expiresAt: lasts }
  const credential = await keys.rotate(owner.id, id, replacement, now + overlapMs, now)
  return { credential: existing(credential, noun), secret }
}

async function refuseMore(keys: KeyStore, owner: CredentialOwner, now: number): Promise<void> {
  refuseTooMany((await keys.active(now, owner.id)).length, 'keys or tokens')
}

/** A credential of an owner. Throws `Refused` if there is none of that id. */
export async function credentialOf(
  keys: KeyStore,
  owner: number,
  id: number,
  noun: string,
): Promise<Credential> {
  return existing(await keys.find(owner, id), noun)
}

/** Throws `Refused` if a key would lack what its owner requires after a change of its recipient or purpose. */
export function refuseLackingDisclosee(
  owner: CredentialOwner,
  before: Credential,
  given: Partial<Disclosee>,
): void {
  if (Object.keys(given).length > 0) refuse(discloseeFault(owner, { ...before, ...given }))
}

/**
 * The scope of checked settings. A part of the scope of `before` may stay, where its objects were deleted since or the
 * window of its organization was lowered. Null: it limits nothing. Throws `Refused`.
 */
export async function scopeOf(
  store: Pick<Store, 'objects' | 'organizations' | 'attributes'>,
  organization: number,
  settings: Partial<ScopeSettings>,
  before: KeyScope | null,
): Promise<KeyScope | null> {
  const scope = readScope(settings)
  if ('rule' in scope) throw invalid(scope)
  const { grants } = scope
  await refuseForeign(store, organization, grants, before?.grants, grants?.length === 1)
  if (scope.windowShare !== null && scope.windowShare !== before?.windowShare) {
    const owner = await store.organizations.find(organization)
    refuse(owner === null ? undefined : shareFault(scope, owner))
  }
  return limitedOrNull(scope)
}
