import { asvs, type Item } from './item.ts'

const SIGN_ON = 'tests/acceptance/admin/sign-on.test.ts'
const TOKENS = 'tests/acceptance/admin/sign-on-tokens.test.ts'
const OUTAGES = 'tests/acceptance/admin/sign-on-outages.test.ts'
const LOGOUT = 'tests/acceptance/admin/sign-on-logout.test.ts'
const ADMIT = 'packages/server/src/faces/admin/sign-on/admit-person.test.ts'
const OPTIONS = 'packages/server/src/run/serve/sign-on-options.test.ts'
const ID_TOKEN = 'An ID token'
const OWN_ANSWER = 'is taken from the browser that began, and not from another'
const BEGUN = 'goes to the provider with what makes the answer belong to this browser alone'
const MIX_UP =
  'is refused before its code is sent anywhere if another issuer gave it, or none (mix-up)'
const SAME_ADDRESS = 'is never taken for the person of an account with the same address'

/** Requirements that concern single sign-on, where Fleetgate is a client of OpenID Connect. */
export const SIGN_ON_ITEMS: readonly Item[] = [
  asvs('6.8.1', 'Identities', 'Issuer and subject name a person.', ADMIT, SAME_ADDRESS),
  asvs('6.8.2', 'Signed assertions', 'An ID token has to be signed.', TOKENS, ID_TOKEN),
  asvs('7.6.1', 'Lifetime', 'A session ends after 12 hours.', SIGN_ON, 'ends after 12 hours'),
  asvs('7.6.2', 'An act of the person', 'The button begins it.', SIGN_ON, BEGUN),
  asvs('9.1.2', 'Algorithms', 'Those of the provider, and never none.', TOKENS, ID_TOKEN),
  asvs('9.1.3', 'Keys', 'Those of the configured issuer alone.', TOKENS, ID_TOKEN),
  asvs('9.2.1', 'Validity', 'Within 60 seconds of its times.', TOKENS, ID_TOKEN),
  asvs('9.2.3', 'Audience', 'A token for another client is refused.', TOKENS, ID_TOKEN),
  asvs('10.1.2', 'Same browser', 'A cookie binds state, nonce and PKCE.', SIGN_ON, OWN_ANSWER),
  asvs('10.2.1', 'Forged answers', 'PKCE, and a state of 256 random bits.', SIGN_ON, BEGUN),
  asvs('10.2.2', 'Mix-up', 'The issuer of an answer is checked.', TOKENS, MIX_UP),
  asvs('10.2.3', 'Scopes', 'Only who the person is, by default.', OPTIONS, 'have defaults'),
  asvs('10.5.1', 'Replay of ID tokens', 'The nonce has to be that of the start.', TOKENS, ID_TOKEN),
  asvs('10.5.2', 'Subject', 'The subject names the person.', ADMIT, SAME_ADDRESS),
  asvs(
    '10.5.3',
    'Issuer of metadata',
    'Metadata of another issuer, or of any tenant, are refused.',
    OUTAGES,
    'A provider that answers nonsense',
  ),
  asvs('10.5.4', 'Audience of ID tokens', 'It is this client.', TOKENS, ID_TOKEN),
  asvs(
    '10.5.5',
    'Logout tokens',
    'They need their event and no nonce, are at most 5 minutes old, and are taken once.',
    LOGOUT,
    'A logout token',
  ),
]
