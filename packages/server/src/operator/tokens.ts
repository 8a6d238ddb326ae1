import { TOKEN_RULES, type TokenSettings } from '../domain/settings/access-settings.ts'
import { described } from '../domain/settings/rule.ts'
import { newInput } from './input.ts'
import * as doc from './schema.ts'

const { scope, organization } = doc.settingFields<TokenSettings>(TOKEN_RULES)

/** The form in the console and on the command line. */
export const TOKEN = doc.record(
  {
    id: doc.integer('Id of the token.'),
    name: doc.text('Its purpose.'),
    ...{ scope, organization },
    issuer: doc.integerOrNull(
      'Id of the token that issued it; it ends with that one. Null: the console or the command line issued it.',
    ),
    prefix: doc.text('Its first characters.'),
    last_four: doc.text('Its last four characters.'),
    created_at: doc.instant('When it was issued.'),
    expires_at: doc.instantOrNull('When it ends. Null: never.'),
    last_used_at: doc.instantOrNull('When it was last used, to the minute. Null: never.'),
  },
  'A token with which a program uses this API: `Authorization: Bearer <token>`.',
  'Token',
)

export const TOKENS = doc.items(TOKEN, 'The valid tokens, by id.', 'Tokens')

export const ISSUED_TOKEN = doc.record(
  { token: TOKEN, secret: doc.text('The token itself. It is shown only this once.') },
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
export const NEW_TOKEN = newInput<TokenSettings>(
  'NewToken',
  { ...TOKEN_RULES, scope: SCOPE, organization: ORGANIZATION },
  { scope: 'read' },
  'A token to be issued. A token cannot issue one that may do more than itself or that lasts longer.',
  { expires_at: doc.optional(doc.instantOrNull('When it ends. Null, or left out: never.')) },
)
