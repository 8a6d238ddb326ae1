import { asvs, type Item } from './item.ts'

const SIGN_IN = 'tests/acceptance/admin/sign-in.test.ts'
const PASSWORD = 'packages/server/src/faces/admin/access/password.test.ts'
const COOKIE = 'is a cookie that scripts cannot read and other sites cannot send'
const LENGTH = 'has 12 to 200 characters of any size, and is text'
const CHANGED = 'is changed by the operator who knows it, which ends all other sessions'
const LINK = 'the link makes one account, even when used several times at once'
const KEPT = 'is verified by a salted hash, which differs each time and does not contain it'

/** Requirements that concern only the console: passwords, sessions, cookies. */
export const CONSOLE_ITEMS: readonly Item[] = [
  asvs('3.3.2', 'SameSite', 'The session’s cookie is `SameSite=Strict`.', SIGN_IN, COOKIE),
  asvs('3.3.4', 'HttpOnly', 'No script reads the session’s cookie.', SIGN_IN, COOKIE),
  asvs('3.3.5', 'Size of cookies', 'The cookie is a secret of 44 characters.', SIGN_IN, COOKIE),
  asvs('6.2.1', 'Length of passwords', 'A password has 12 characters or more.', PASSWORD, LENGTH),
  asvs('6.2.2', 'Change of password', 'The operator changes it himself.', SIGN_IN, CHANGED),
  asvs('6.2.3', 'Change of password', 'It takes the one that holds.', SIGN_IN, CHANGED),
  asvs('6.2.5', 'No composition', 'Length alone is asked for.', PASSWORD, LENGTH),
  asvs('6.2.8', 'As it was typed', 'Case and each character count.', PASSWORD, KEPT),
  asvs('6.2.9', 'Long passwords', 'Up to 200 characters are taken.', PASSWORD, LENGTH),
  asvs(
    '6.4.1',
    'First password',
    'The one-time URL, of 178 random bits, sets it once and is then nothing.',
    SIGN_IN,
    LINK,
  ),
  asvs(
    '6.4.3',
    'Forgotten password',
    'An operator with the command line makes a new link, which ends all sessions and older links.',
    SIGN_IN,
    'makes a link for a new password, which ends sessions and works once',
  ),
  asvs(
    '7.2.2',
    'Session tokens',
    'A session is a random secret that the server knows, and no other secret is one.',
    SIGN_IN,
    'is not accepted as a token, nor is any string like one',
  ),
  asvs(
    '7.2.4',
    'New sessions',
    'Each sign-in makes another secret, and ends the session that the browser had.',
    SIGN_IN,
    'is replaced by another sign-in of the same browser',
  ),
  asvs('7.3.2', 'Lifetime of sessions', 'A session ends after 12 hours.', SIGN_IN, LINK),
  asvs('7.4.3', 'Other sessions', 'They end with a new password.', SIGN_IN, CHANGED),
  asvs('7.5.1', 'Asked again', 'A new password takes the old one.', SIGN_IN, CHANGED),
  asvs(
    '11.4.2',
    'Kept passwords',
    'scrypt with N = 2^15, r = 8, p = 3 and a salt of its own.',
    PASSWORD,
    KEPT,
  ),
]
