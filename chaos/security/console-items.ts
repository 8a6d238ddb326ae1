import { asvs, type Item } from './item.ts'

const COMING_IN = 'acceptance/admin/coming-in.test.ts'
const PASSWORD = 'packages/server/src/access/password.test.ts'
const COOKIE = 'is a cookie that no script reads and no other site sends'
const LENGTH = 'has 12 to 200 characters, of whatever size, and is text'
const CHANGED = 'is changed by who knows it, which ends all sessions but this one'
const LINK = 'the link sets it once, however many use it at once'
const KEPT =
  'is told from any other by what is kept of it, which is not it and never the same twice'

/** What is asked of the operator's console alone: passwords, sessions, cookies. */
export const CONSOLE_ITEMS: readonly Item[] = [
  asvs('3.3.2', 'SameSite', 'The session’s cookie is `SameSite=Strict`.', COMING_IN, COOKIE),
  asvs('3.3.4', 'HttpOnly', 'No script reads the session’s cookie.', COMING_IN, COOKIE),
  asvs('3.3.5', 'Size of cookies', 'The cookie is a secret of 44 characters.', COMING_IN, COOKIE),
  asvs('6.2.1', 'Length of passwords', 'A password has 12 characters or more.', PASSWORD, LENGTH),
  asvs('6.2.2', 'Change of password', 'The operator changes it himself.', COMING_IN, CHANGED),
  asvs('6.2.3', 'Change of password', 'It takes the one that holds.', COMING_IN, CHANGED),
  asvs('6.2.5', 'No composition', 'Length alone is asked for.', PASSWORD, LENGTH),
  asvs('6.2.8', 'As it was typed', 'Case and each character count.', PASSWORD, KEPT),
  asvs('6.2.9', 'Long passwords', 'Up to 200 characters are taken.', PASSWORD, LENGTH),
  asvs(
    '6.4.1',
    'First password',
    'The one-time link, of 178 random bits, sets it once and is then nothing.',
    COMING_IN,
    LINK,
  ),
  asvs(
    '6.4.3',
    'Forgotten password',
    'Who has the command line makes a new link, which ends all sessions and older links.',
    COMING_IN,
    'ends the password and all sessions of a server that runs, and prints a link that sets another',
  ),
  asvs(
    '7.2.2',
    'Session tokens',
    'A session is a random secret that the server knows, and no other secret is one.',
    COMING_IN,
    'is no token, and what looks like one opens nothing',
  ),
  asvs(
    '7.2.4',
    'New sessions',
    'Each sign-in makes another secret; signing out ends it at the server.',
    COMING_IN,
    'ends when it is signed out, and no other does',
  ),
  asvs('7.3.2', 'Lifetime of sessions', 'A session ends after 12 hours.', COMING_IN, LINK),
  asvs('7.4.3', 'Other sessions', 'They end with a new password.', COMING_IN, CHANGED),
  asvs('7.5.1', 'Asked again', 'A new password takes the old one.', COMING_IN, CHANGED),
  asvs(
    '11.4.2',
    'Kept passwords',
    'scrypt with N = 2^15, r = 8, p = 3 and a salt of its own.',
    PASSWORD,
    KEPT,
  ),
]
