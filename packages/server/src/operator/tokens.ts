import { TOKEN_RULES, type TokenSettings } from '../domain/settings/access-settings.ts'
import { described } from '../domain/settings/rule.ts'
import { newInput } from './input.ts'
import {
  instant,
  instantOrNull,
  integer,
  integerOrNull,
  items,
  named,
  optional,
  record,
  settingFields,
  text,
} from './schema.ts'

const { scope, organization } = settingFields<TokenSettings>(TOKEN_RULES)

/** The form in the console and on the command line. */
export const TOKEN = record(
  {
    id: integer('Id of the token.'),
    name: text('Its purpose.'),
    ...{ scope, organization },
    issuer: integerOrNull(
      'Id of the token that issued it; it ends with that one. Null: the console or the command line issued it.',
    ),
    prefix: text('Its first characters.'),
    last_four: text('Its last four characters.'),
    created_at: instant('When it was issued.'),
    expires_at: instantOrNull('When it ends. Null: never.'),
    last_used_at: instantOrNull('When it was last used, to the minute. Null: never.'),
  },
  'A token with which a program uses this API: `Authorization: Bearer <token>`.',
  'Token',
)

export const TOKENS = items(TOKEN, 'The valid tokens, by id.', 'Tokens')

export const ISSUED_TOKEN = record(
  { token: TOKEN, secret: text('The token itself. It is shown only this once.') },
  'A token that was issued.',
  'IssuedToken',
)

const SCOPE = described(
  TOKEN_RULES.scope,
  `${TOKEN_RULES.scope.description} Left out: that of the issuer.`,
)
const ORGANIZATION = described(
  TOKEN_RULES.organization,
  'The organization that it manages, with the scope `organization` alone. Null, or left out: that of the issuer.',
)

/** The issuer's scope takes the place of the default. */
export const NEW_TOKEN = named(
  'NewToken',
  newInput<TokenSettings>(
    { ...TOKEN_RULES, scope: SCOPE, organization: ORGANIZATION },
    { scope: 'read' },
    'A token to be issued. A token cannot issue one that may do more than itself or that lasts longer.',
    { expires_at: optional(instantOrNull('When it ends. Null, or left out: never.')) },
  ),
)
