import { kindOfKey, newSecret, type SecretKind } from '../access/secret.ts'
import { type Credential, sameLifetime } from '../domain/credential.ts'
import { FEED_CLIENTS } from '../domain/feed-client.ts'
import type { KeyScope } from '../domain/key-scope.ts'
import { FEED_TOKEN_RULES, KEY_RULES, ROTATION_RULES } from '../domain/settings/access-settings.ts'
import {
  limitedOrNull,
  readScope,
  SCOPE_RULES,
  type ScopeSettings,
  scopeDocument,
  shareFault,
} from '../domain/settings/scope-settings.ts'
import { TEST_SCENARIOS } from '../domain/test-scenario.ts'
import { foreignIds } from '../store/foreign-ids.ts'
import type { KeyStore, Store } from '../store/store.ts'
import { fieldsInput, newInput, patchInput, refuse } from './input.ts'
import { invalid } from './refused.ts'
import * as doc from './schema.ts'

const SCOPE = doc.settingFields<ScopeSettings>(SCOPE_RULES)

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
  'The part of the organization that the key opens. Null, or left out: all of it.',
)
const SCOPE_OR_NULL = scopeOrNull(GIVEN_SCOPE.schema)

export const CREDENTIAL = doc.record(
  {
    id: doc.integer('Its id.'),
    name: doc.text('Its purpose.'),
    prefix: doc.text('Its first characters.'),
    last_four: doc.text('Its last four characters.'),
    created_at: doc.instant('When it was issued.'),
    expires_at: doc.instantOrNull('When it ends. Null: never.'),
    revoked_at: doc.instantOrNull('When it was revoked. Null: it was not.'),
    last_used_at: doc.instantOrNull('When it was last used, to the minute. Null: never.'),
    scope: scopeOrNull(
      doc.record(
        SCOPE,
        'The part of the organization that an API key opens. Null: all of it. A feed token has none.',
      ).schema,
    ),
    scenario: doc.choiceOrNull(
      TEST_SCENARIOS,
      'How the simulated fleet answers a test key. Null: it is no test key.',
    ),
    client: doc.choiceOrNull(
      FEED_CLIENTS,
      'The app that sends with a feed token, which decides its units. Null: those of the formats. An API key has none.',
    ),
    requests_today: doc.integer('Requests with it since 00:00 UTC; of a feed token always 0.'),
    requests_30_days: doc.integer(
      'Requests with it in the last 30 days, today among them; of a feed token always 0.',
    ),
  },
  'An API key or a feed token. The secret itself is kept nowhere.',
  'Credential',
)

export const CREDENTIALS = doc.items(
  CREDENTIAL,
  'Keys or tokens by id, revoked and expired ones too.',
  'Credentials',
)

export const ISSUED_CREDENTIAL = doc.record(
  { credential: CREDENTIAL, secret: doc.text('The secret itself. It is shown only this once.') },
  'A key or token that was issued.',
  'IssuedCredential',
)

const EXPIRES_AT = doc.optional(doc.instantOrNull('When it ends. Null, or left out: never.'))

export const NEW_FEED_TOKEN = newInput(
  'NewFeedToken',
  FEED_TOKEN_RULES,
  {},
  'A feed token to be issued.',
  { expires_at: EXPIRES_AT },
)

export const NEW_KEY = newInput('NewKey', KEY_RULES, {}, 'An API key to be issued.', {
  expires_at: EXPIRES_AT,
  scope: doc.optional(SCOPE_OR_NULL),
})

export const KEY_PATCH = fieldsInput(
  'KeyPatch',
  { scope: SCOPE_OR_NULL },
  'The scope that an API key gets.',
)

export const ROTATION = newInput(
  'Rotation',
  ROTATION_RULES,
  {},
  'A key to be issued in place of another.',
)

export type IssuedCredential = { credential: Credential; secret: string }

/** `kind`: of the secret. Undefined: the scenario of an API key decides. */
export async function issueCredential(
  keys: KeyStore,
  organization: number,
  wanted: Pick<Credential, 'name' | 'expiresAt' | 'scope' | 'scenario' | 'client'>,
  now: number,
  kind: SecretKind = kindOfKey(wanted),
): Promise<IssuedCredential> {
  const { secret, ...kept } = newSecret(kind)
  return { credential: await keys.issue(organization, { ...kept, ...wanted }, now), secret }
}

/**
 * Issues a credential in place of an active one, which ends after `overlapMs`. It lasts as long as the old one was
 * given, unless `expiresAt` says otherwise. Null if the old one was deleted meanwhile.
 */
export async function rotateCredential(
  keys: KeyStore,
  old: Credential,
  { overlapMs, expiresAt }: { overlapMs: number; expiresAt?: number | undefined },
  now: number,
  kind: SecretKind = kindOfKey(old),
): Promise<IssuedCredential | null> {
  const { secret, ...kept } = newSecret(kind)
  const replacement = { ...kept, name: old.name, expiresAt: expiresAt ?? sameLifetime(old, now) }
  const { organization, id } = old
  const credential = await keys.rotate(organization, id, replacement, now + overlapMs, now)
  return credential && { credential, secret }
}

/**
 * The scope of checked settings. A part of the scope of `before` may stay, where its objects were deleted since or the
 * window of its organization was lowered. Null: it limits nothing. Throws `Refused`.
 */
export async function scopeOf(
  store: Pick<Store, 'objects' | 'organizations'>,
  organization: number,
  settings: Partial<ScopeSettings>,
  before: KeyScope | null,
): Promise<KeyScope | null> {
  const scope = readScope(settings)
  if ('rule' in scope) throw invalid(scope)
  const chosen = scope.objects?.filter((id) => !before?.objects?.includes(id))
  refuse(await foreignIds(store, organization, 'objects', chosen))
  if (scope.windowShare !== null && scope.windowShare !== before?.windowShare) {
    const owner = await store.organizations.find(organization)
    refuse(owner === null ? undefined : shareFault(scope, owner))
  }
  return limitedOrNull(scope)
}
