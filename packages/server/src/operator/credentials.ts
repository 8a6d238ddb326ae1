import type { KeyScope } from '../domain/key-scope.ts'
import { CREDENTIAL_RULES, KEY_RULES, ROTATION_RULES } from '../domain/settings/access-settings.ts'
import {
  SCOPE_RULES,
  type ScopeSettings,
  scopeDocument,
} from '../domain/settings/scope-settings.ts'
import { TEST_SCENARIOS } from '../domain/test-scenario.ts'
import { fieldsInput, newInput, patchInput } from './input.ts'
import {
  choiceOrNull,
  type Field,
  instant,
  instantOrNull,
  integer,
  items,
  named,
  optional,
  record,
  type Schema,
  settingFields,
  text,
} from './schema.ts'

const SCOPE = settingFields<ScopeSettings>(SCOPE_RULES)

const scopeOrNull = (schema: Schema): Field<KeyScope | null, ReturnType<typeof scopeDocument>> => ({
  schema: { ...schema, type: ['object', 'null'] },
  write: scopeDocument,
})

/** The scope that a caller gives, unless it is null. */
export const GIVEN_SCOPE = patchInput<ScopeSettings>(
  SCOPE_RULES,
  'The part of the organization that the key opens. Null, or left out: all of it.',
)
const SCOPE_OR_NULL = scopeOrNull(GIVEN_SCOPE.schema)

export const CREDENTIAL = record(
  {
    id: integer('Its id.'),
    name: text('Its purpose.'),
    prefix: text('Its first characters.'),
    last_four: text('Its last four characters.'),
    created_at: instant('When it was issued.'),
    expires_at: instantOrNull('When it ends. Null: never.'),
    revoked_at: instantOrNull('When it was revoked. Null: it was not.'),
    last_used_at: instantOrNull('When it was last used, to the minute. Null: never.'),
    scope: scopeOrNull(
      record(
        SCOPE,
        'The part of the organization that an API key opens. Null: all of it. A feed token has none.',
      ).schema,
    ),
    scenario: choiceOrNull(
      TEST_SCENARIOS,
      'How the simulated fleet answers a test key. Null: it is no test key.',
    ),
    requests_today: integer('Requests with it since 00:00 UTC; of a feed token always 0.'),
    requests_30_days: integer(
      'Requests with it in the last 30 days, today among them; of a feed token always 0.',
    ),
  },
  'An API key or a feed token. The secret itself is kept nowhere.',
  'Credential',
)

export const CREDENTIALS = items(
  CREDENTIAL,
  'Keys or tokens by id, revoked and expired ones too.',
  'Credentials',
)

export const ISSUED_CREDENTIAL = record(
  { credential: CREDENTIAL, secret: text('The secret itself. It is shown only this once.') },
  'A key or token that was issued.',
  'IssuedCredential',
)

const EXPIRES_AT = optional(instantOrNull('When it ends. Null, or left out: never.'))

export const NEW_CREDENTIAL = named(
  'NewCredential',
  newInput(CREDENTIAL_RULES, {}, 'A key or token to be issued.', { expires_at: EXPIRES_AT }),
)

export const NEW_KEY = named(
  'NewKey',
  newInput(KEY_RULES, {}, 'An API key to be issued.', {
    expires_at: EXPIRES_AT,
    scope: optional(SCOPE_OR_NULL),
  }),
)

export const KEY_PATCH = named(
  'KeyPatch',
  fieldsInput({ scope: SCOPE_OR_NULL }, 'The scope that an API key gets.'),
)

export const ROTATION = named(
  'Rotation',
  newInput(ROTATION_RULES, {}, 'A key to be issued in place of another.'),
)
