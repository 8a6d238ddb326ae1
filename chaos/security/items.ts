import { CONSOLE_ITEMS } from './console-items.ts'
import { asvs, type Item } from './item.ts'

export type { Item, TestName } from './item.ts'

const INJECTION = 'acceptance/security/injection.test.ts'
const LISTENERS = 'acceptance/security/listeners.test.ts'
const TLS = 'acceptance/listeners/tls.test.ts'
const KEYS = 'acceptance/security/keys.test.ts'
const RESOURCES = 'acceptance/security/resources.test.ts'
const DEPENDENCIES = 'acceptance/security/dependencies.test.ts'
const REQUESTS = 'acceptance/decisions/requests.test.ts'
const LIMITS = 'acceptance/decisions/limits.test.ts'
const PAGES = 'acceptance/decisions/more-rows-than-limit.test.ts'
const REFUSED = 'acceptance/feed/refused.test.ts'
const MALFORMED = 'acceptance/malformed-http/malformed.test.ts'
const MATRIX = 'acceptance/isolation/matrix.test.ts'
const UNAUTHORIZED = 'acceptance/every-operation/unauthorized-401.test.ts'
const DOCS = 'acceptance/documentation/docs-200.test.ts'
const TOKENS = 'acceptance/command-line/feed-tokens.test.ts'
const ATTEMPTS = 'acceptance/admin/sign-in-attempts.test.ts'
const COMING_IN = 'acceptance/admin/coming-in.test.ts'
const HOSTILE_SERVER = 'acceptance/client/pull-hostile-server.test.ts'
const REQUEST_LOG = 'acceptance/listeners/request-log.test.ts'
const SERVER_LOG = 'packages/server/src/cli/server-log.test.ts'
const GEOCODER = 'packages/server/src/geocoding/nominatim/nominatim-geocoder.test.ts'
const SECRET = 'packages/server/src/access/secret.test.ts'
const POLICY = 'gives the reference page a policy that runs no script but its own'
const TELLS_NOTHING = 'tells nothing of what made it, sets no cookie and lets no other origin in'
const NO_FILES = 'serves no file, folder or debugger, by whatever path'
const NOT_ONE_PATH_AWAY =
  'are not one path away from the public one, and give an operator no more than figures'
const OPENS = 'opens the API and nothing else; a token the feed and nothing else'
const TYPES = 'of another type than is wanted is refused, not made to fit'
const ASSIGNED = 'settles nothing but a position, whatever fields it names'
const NOT_LOGGED = 'are in no log, error, metric or list, wherever a caller puts them'
const NOWHERE_ELSE = 'goes nowhere else than it was told to, whatever the answer says'
const GUESSED = 'makes nothing that must not be guessed with a generator that can be'
const FOREIGN = 'answers alike to what is foreign and to what is missing'
const TYPED = 'is to be taken for what its type says, and says so rightly'
const ADMITS_TEN = 'admits ten of many that come at once'
const PINNED = 'are pinned by a lockfile with the hash of each, whatever registry they come from'
const TOO_LARGE = '413: more bytes than the format allows, packed or unpacked'
const ONE_LINE = 'is one JSON line per request, and never holds a key'

export const ITEMS: readonly Item[] = [
  top10(
    1,
    'Broken object level authorization',
    'What another organization has is answered as what nobody has, byte for byte.',
    MATRIX,
    FOREIGN,
  ),
  top10(
    2,
    'Broken authentication',
    'No operation but the ping answers without exactly one right key.',
    UNAUTHORIZED,
    'Every operation: 401',
  ),
  top10(
    3,
    'Broken object property level authorization',
    'A packet sets what a packet may set, whatever fields it names.',
    INJECTION,
    ASSIGNED,
  ),
  top10(
    4,
    'Unrestricted resource consumption',
    'What bodies hold of memory and cost of parsing is bounded, as are requests, headers and times.',
    RESOURCES,
    'A body of the feed',
  ),
  top10(
    5,
    'Broken function level authorization',
    'A key opens the API, a token the feed; neither opens the other, nor the operator’s listener.',
    KEYS,
    OPENS,
  ),
  top10(
    6,
    'Unrestricted access to sensitive business flows',
    'Ten requests in ten seconds of an organization, whatever comes at once.',
    LIMITS,
    ADMITS_TEN,
  ),
  top10(
    7,
    'Server side request forgery',
    'The geocoder that the operator named is asked, and no address that an answer points to.',
    GEOCODER,
    NOWHERE_ELSE,
  ),
  top10(
    8,
    'Security misconfiguration',
    'No answer tells what made it, sets a cookie or lets another origin in.',
    LISTENERS,
    TELLS_NOTHING,
  ),
  top10(
    9,
    'Improper inventory management',
    'All operations are described; listeners for others are on ports of their own.',
    LISTENERS,
    NOT_ONE_PATH_AWAY,
  ),
  top10(
    10,
    'Unsafe consumption of APIs',
    'What a geocoder answers is bounded in time and length, and taken only where it is an address.',
    GEOCODER,
    'backs off when the server fails in any way, and tells it once',
  ),

  asvs(
    '1.1.1',
    'Decoding once',
    'Percent-encoding is undone once, before anything is checked.',
    INJECTION,
    'is decoded once',
  ),
  asvs(
    '1.1.2',
    'Encoding last',
    'Text is escaped where the JSON is written.',
    INJECTION,
    'comes out as the JSON that it went in as',
  ),
  asvs(
    '1.2.1',
    'Encoding for HTTP',
    'Nothing that was sent makes a header.',
    INJECTION,
    'makes no header',
  ),
  asvs(
    '1.2.2',
    'Encoding in URLs',
    'The address of the next page is made of what was read, encoded anew.',
    PAGES,
    'are at the address that Link gives, every row once',
  ),
  asvs(
    '1.2.3',
    'JSON injection',
    'Names come out as they went in, whatever characters they have.',
    INJECTION,
    'comes out as the JSON that it went in as',
  ),
  asvs(
    '1.2.4',
    'SQL injection',
    'Values are parameters; ids are digits before a store hears of them.',
    INJECTION,
    'is never read as SQL',
  ),
  asvs(
    '1.2.5',
    'Command injection',
    'No name and no file runs a command.',
    INJECTION,
    'and is called runs no command',
  ),
  asvs(
    '1.2.10',
    'CSV and formula injection',
    'A spreadsheet runs no text of the CSV files that pull writes.',
    HOSTILE_SERVER,
    'has an apostrophe before what a spreadsheet would run, and numbers as they are',
  ),
  asvs(
    '1.3.2',
    'Dynamic code',
    'No code is made of text.',
    DEPENDENCIES,
    'makes no code of text, and hands none to a shell',
  ),
  asvs(
    '1.3.3',
    'Dangerous contexts',
    'What a terminal is shown cannot steer or reorder it.',
    INJECTION,
    'steers no terminal',
  ),
  asvs('1.3.6', 'SSRF', 'No redirect of a geocoder is followed.', GEOCODER, NOWHERE_ELSE),
  asvs(
    '1.3.12',
    'Regular expressions',
    'Megabytes of hostile text are refused as fast as they are read.',
    INJECTION,
    'Long hostile text',
  ),
  asvs(
    '1.4.2',
    'Integer overflow',
    'Digits beyond 2^53 name no object, rather than another one.',
    REQUESTS,
    'is a 400; digits that name no object are a 404',
  ),
  asvs(
    '1.5.1',
    'XML external entities',
    'GPX with entities of its own reads no file and multiplies nothing.',
    INJECTION,
    'names no other file, and multiplies nothing',
  ),
  asvs(
    '1.5.2',
    'Deserialization',
    'JSON becomes plain values, of which known fields of known types are taken.',
    INJECTION,
    TYPES,
  ),

  asvs(
    '2.2.1',
    'Positive validation',
    'A parameter is what the contract says, or a 400.',
    REQUESTS,
    'refuses what is missing, empty or malformed',
  ),
  asvs(
    '2.2.2',
    'Validation at the server',
    'Each row is judged where it arrives, and each told why it was refused.',
    'acceptance/feed/native.test.ts',
    'one bad row never refuses the others, and each is told why',
  ),
  asvs(
    '2.2.3',
    'Related data',
    'Start, end and length of a range are judged together.',
    'acceptance/decisions/history-maxima.test.ts',
    'refuses a longer range than the maximum, naming it',
  ),
  asvs(
    '2.3.1',
    'Order of steps',
    'Key, window, subscription, parameters, object, quota: in this order.',
    'acceptance/decisions/order-of-the-checks.test.ts',
    'Order of the checks',
  ),
  asvs(
    '2.3.2',
    'Business limits',
    'The daily quota of an object is a limit.',
    'acceptance/positions/quota-400.test.ts',
    'Daily per-object quota exhausted: 400',
  ),
  asvs(
    '2.3.3',
    'All or nothing',
    'A call charges all of its objects or none.',
    LIMITS,
    'charges all of the objects asked for or none',
  ),
  asvs(
    '2.3.4',
    'Locking',
    'Of many requests at once no more are admitted than there is room for.',
    LIMITS,
    ADMITS_TEN,
  ),
  asvs(
    '2.4.1',
    'Anti-automation',
    'The window tells when the next request is admitted, and keeps to it.',
    LIMITS,
    'admits the next request exactly when Retry-After has passed',
  ),

  asvs(
    '3.2.1',
    'Content in its context',
    'JSON with its type, and no sniffing of another.',
    LISTENERS,
    TYPED,
  ),
  asvs(
    '3.4.2',
    'CORS',
    'There is none: keys belong on servers.',
    'acceptance/listeners/plain-http.test.ts',
    'has no CORS',
  ),
  asvs(
    '3.4.3',
    'Content-Security-Policy',
    'The reference page runs its own scripts alone.',
    LISTENERS,
    POLICY,
  ),
  asvs(
    '3.4.4',
    'X-Content-Type-Options',
    '`nosniff` on every answer of every listener.',
    LISTENERS,
    TYPED,
  ),
  asvs('3.4.5', 'Referrer policy', 'The reference page sends no referrer.', LISTENERS, POLICY),
  asvs(
    '3.4.6',
    'Framing',
    "`frame-ancestors 'none'` on the only page there is.",
    LISTENERS,
    POLICY,
  ),
  asvs(
    '3.4.8',
    'Cross-Origin-Opener-Policy',
    '`same-origin` on the only page there is.',
    LISTENERS,
    POLICY,
  ),
  asvs(
    '3.5.1',
    'Cross-site requests',
    'A key is a header that no browser sends by itself; a change in the console must come from its own origin.',
    COMING_IN,
    'A change that another page has a browser send',
  ),
  asvs('3.5.6', 'JSONP', 'There is none.', LISTENERS, 'answers no JSONP and no other format'),
  asvs(
    '3.6.1',
    'External resources',
    'The reference page loads what this server has, and nothing else.',
    DOCS,
    'loads only what this server has',
  ),
  asvs('3.7.2', 'Redirects', 'Nobody is redirected.', LISTENERS, 'redirects nobody'),

  asvs(
    '4.1.1',
    'Content-Type',
    'Every body has its type and charset, and is what they say.',
    LISTENERS,
    TYPED,
  ),
  asvs(
    '4.1.2',
    'No redirect to HTTPS',
    'Plain HTTP on a port of TLS is not answered.',
    LISTENERS,
    'is not left for plain HTTP by a redirect',
  ),
  asvs(
    '4.1.3',
    'Headers of intermediaries',
    'No header changes method, path, host or caller.',
    LISTENERS,
    'believes no header that would change method, path, host or caller',
  ),
  asvs(
    '4.1.4',
    'Methods',
    'GET and HEAD; all else is a 405.',
    'acceptance/every-operation/method-not-allowed-405.test.ts',
    'Every operation: 405',
  ),
  asvs(
    '4.2.1',
    'Request smuggling',
    'Ambiguous lengths and lines are refused, and their connection is closed.',
    MALFORMED,
    'Malformed HTTP',
  ),
  asvs(
    '4.2.2',
    'Lengths of answers',
    'Content-Length is that of the body.',
    LISTENERS,
    'is as long as it says',
  ),
  asvs(
    '4.2.3',
    'Fields of a connection in HTTP/2',
    'HTTP/2 is not spoken: a client that offers nothing else is refused in the handshake.',
    TLS,
    'refuses a client that offers HTTP/2 alone',
  ),
  asvs(
    '4.2.4',
    'CR and LF in HTTP/2',
    'HTTP/2 is not spoken: a client that offers nothing else is refused in the handshake.',
    TLS,
    'refuses a client that offers HTTP/2 alone',
  ),
  asvs(
    '4.2.5',
    'Requests to others',
    'A request to a geocoder has a few short parameters.',
    GEOCODER,
    'asks as the API is documented, and names itself',
  ),

  asvs(
    '5.2.1',
    'Size of what is sent',
    '8 MiB, and refused unread where its headers say more.',
    REFUSED,
    TOO_LARGE,
  ),
  asvs(
    '5.2.2',
    'Content of what is sent',
    'What is called gzip has to be whole gzip.',
    REFUSED,
    '400: gzip that is none, or is cut',
  ),
  asvs('5.2.3', 'Compressed bombs', 'Unpacking ends at 8 MiB.', REFUSED, TOO_LARGE),
  asvs(
    '5.3.2',
    'Paths of files',
    'No path of a request becomes a path of a file.',
    LISTENERS,
    NO_FILES,
  ),

  asvs(
    '6.3.1',
    'Brute force',
    'Guesses at the password are slowed down by network and in all; the 178 random bits of a key cannot be guessed.',
    ATTEMPTS,
    'from a /8 are few in all, and many at once keep nobody else waiting',
  ),
  asvs(
    '6.3.2',
    'Default accounts',
    'There is no key before one is issued.',
    KEYS,
    'there is none before one is issued',
  ),
  asvs(
    '6.3.4',
    'Several ways in',
    'Each place of a token is documented, and none is weaker.',
    REFUSED,
    '401: no token, a wrong one, two of them, or an API key',
  ),
  asvs(
    '6.3.8',
    'Enumeration',
    'A key that is unknown, expired or revoked is refused in one way.',
    KEYS,
    'that is unknown or revoked is refused in one way, and one that cannot be a key in another',
  ),

  asvs(
    '7.2.1',
    'Verification at the server',
    'Each request is judged by its key, there and then.',
    UNAUTHORIZED,
    'Every operation: 401',
  ),
  asvs(
    '7.2.3',
    'Entropy',
    '30 characters of Base62 out of the system’s generator, each alike: 178 bits.',
    SECRET,
    'uses every Base62 character alike',
  ),
  asvs(
    '7.4.1',
    'Termination',
    'A revoked key stops with the next request.',
    LIMITS,
    'are several per organization, and stop at once when revoked',
  ),
  asvs(
    '7.4.2',
    'Deleted accounts',
    'Keys and tokens go with their organization.',
    'acceptance/command-line/seen-at-once.test.ts',
    'a deleted organization',
  ),
  asvs(
    '7.4.5',
    'Termination by administrators',
    'The operator revokes any, for good.',
    TOKENS,
    'are revoked, once and for all',
  ),

  asvs('8.2.1', 'Function-level access', 'A key opens the API, a token the feed.', KEYS, OPENS),
  asvs(
    '8.2.2',
    'Data-specific access',
    'Twelve forms of id, of every operation: none opens another’s data.',
    MATRIX,
    FOREIGN,
  ),
  asvs(
    '8.2.3',
    'Field-level access',
    'A packet sets no field but those of a position.',
    INJECTION,
    ASSIGNED,
  ),
  asvs(
    '8.3.1',
    'Trusted layer',
    'No operation answers without the key’s own check.',
    UNAUTHORIZED,
    'Every operation: 401',
  ),
  asvs(
    '8.3.2',
    'Changes at once',
    'What a command changes the next request sees.',
    'acceptance/command-line/seen-at-once.test.ts',
    'the settings of an organization',
  ),
  asvs(
    '8.4.1',
    'Tenants',
    'Knowing another’s idents and ids changes nothing of it.',
    KEYS,
    'cannot change what another has, although it knows its idents and ids',
  ),

  asvs(
    '9.1.1',
    'Integrity of tokens',
    'A cursor is sealed by HMAC-SHA-256 with the deployment’s secret.',
    PAGES,
    'refuses a cursor that was tampered with',
  ),
  asvs(
    '9.2.2',
    'Purpose of tokens',
    'A cursor opens the object and range that it was made for.',
    PAGES,
    'refuses the cursor of another object',
  ),

  asvs(
    '11.2.4',
    'Constant time',
    'Seals are compared in constant time; keys are looked up by their SHA-256, so that what time tells is of no use.',
    'packages/server/src/access/authenticate.test.ts',
    'is looked up by its hash alone',
  ),
  asvs(
    '11.2.5',
    'Failing securely',
    'A cursor with any bit changed is one refusal, whichever bit.',
    'packages/server/src/api/cursor.test.ts',
    'opens with no bit flipped',
  ),
  asvs(
    '11.4.1',
    'Approved hashes',
    'SHA-256; no MD5 or SHA-1 protects anything.',
    DEPENDENCIES,
    GUESSED,
  ),
  asvs('11.5.1', 'Random values', 'Secrets come of the system’s generator.', DEPENDENCIES, GUESSED),

  asvs(
    '12.1.1',
    'Versions of TLS',
    '1.2 and 1.3.',
    LISTENERS,
    'is of 1.2 or 1.3, and of ciphers with forward secrecy',
  ),
  asvs(
    '12.1.2',
    'Ciphers',
    'Forward secrecy and authenticated encryption alone.',
    LISTENERS,
    'is of 1.2 or 1.3, and of ciphers with forward secrecy',
  ),
  asvs(
    '12.2.1',
    'TLS to clients',
    'TLS of its own or a proxy’s; plain HTTP beyond loopback is warned of.',
    'acceptance/listeners/plain-http.test.ts',
    'is warned of on another address than loopback',
  ),

  asvs(
    '13.2.4',
    'Outbound allowlist',
    'The database, Redis and a geocoder that the operator names; nothing that data names.',
    GEOCODER,
    NOWHERE_ELSE,
  ),
  asvs(
    '13.3.2',
    'Access to secrets',
    'Data and backups are readable by their owner alone.',
    KEYS,
    'can be read by its owner alone, and its backup too, whatever the umask',
  ),
  asvs(
    '13.3.4',
    'Rotation',
    'Keys expire, and are rotated with an overlap.',
    LIMITS,
    'overlap when they are rotated, for as long as was said',
  ),
  asvs(
    '13.4.1',
    'Source control metadata',
    'No file is served but the description and its page.',
    LISTENERS,
    NO_FILES,
  ),
  asvs(
    '13.4.2',
    'Debug modes',
    'No signal opens a debugger in a process that serves.',
    'acceptance/lifecycle/debugger.test.ts',
    'SIGUSR1 opens no debugger',
  ),
  asvs('13.4.3', 'Directory listings', 'There are none.', LISTENERS, NO_FILES),
  asvs(
    '13.4.4',
    'TRACE',
    'Is a 405 on every listener.',
    LISTENERS,
    'take their own methods alone, TRACE not among them',
  ),
  asvs(
    '13.4.5',
    'Monitoring endpoints',
    'On a listener of their own, on loopback.',
    LISTENERS,
    NOT_ONE_PATH_AWAY,
  ),
  asvs('13.4.6', 'Versions of components', 'No header names any.', LISTENERS, TELLS_NOTHING),
  asvs('13.4.7', 'Served files', 'Five documents, by their exact paths.', LISTENERS, NO_FILES),

  asvs(
    '14.2.1',
    'Secrets in URLs',
    'No key is taken from an address. (A feed token may be in a path, for devices that can set nothing else; paths are not logged.)',
    REQUESTS,
    'does not take a key from the address',
  ),
  asvs(
    '14.2.2',
    'Caches on the way',
    'Answers with data are private; refusals and the feed’s answers are not stored.',
    LISTENERS,
    'says who may keep it: nobody but the caller, and what is refused nobody',
  ),
  asvs(
    '14.2.3',
    'Third parties',
    'The reference page asks no other host.',
    DOCS,
    'forbids the browser every other host',
  ),
  asvs(
    '14.2.4',
    'Controls of sensitive data',
    'Keys and tokens are in no log, error, metric or list.',
    KEYS,
    NOT_LOGGED,
  ),
  asvs(
    '14.2.5',
    'Cache deception',
    'A path that is not exactly one of the contract’s is a 404.',
    'acceptance/every-operation/unknown-path-404.test.ts',
    'Unknown path: 404',
  ),
  asvs(
    '14.2.6',
    'Minimum of sensitive data',
    'A key is shown once; then its first and last characters.',
    LIMITS,
    'are nowhere in the data folder, and shown by no command',
  ),
  asvs(
    '14.2.7',
    'Retention',
    'Positions older than the organization keeps are neither shown nor kept.',
    'acceptance/decisions/retention.test.ts',
    'shows the last days alone, with the next request',
  ),

  asvs(
    '15.1.2',
    'Inventory of components',
    'The lockfile names every package, with its hash.',
    DEPENDENCIES,
    PINNED,
  ),
  asvs(
    '15.2.2',
    'Availability',
    'Who asks without end delays nobody else.',
    RESOURCES,
    'that asks without end takes little from others',
  ),
  asvs(
    '15.2.4',
    'Expected repositories',
    'What is installed has the hashes of the lockfile, from whatever registry.',
    DEPENDENCIES,
    PINNED,
  ),
  asvs(
    '15.2.5',
    'Risky components',
    'Packages run no script at their install but those that were looked at.',
    DEPENDENCIES,
    'run no script at their install but those that were looked at',
  ),
  asvs(
    '15.3.1',
    'Subset of fields',
    'The documented fields, all of them and no other.',
    'acceptance/decisions/answers.test.ts',
    'has every documented field, and objects where objects stand',
  ),
  asvs('15.3.2', 'No redirects followed', 'Of a geocoder none is.', GEOCODER, NOWHERE_ELSE),
  asvs(
    '15.3.3',
    'Mass assignment',
    'A packet sets no field but those of a position.',
    INJECTION,
    ASSIGNED,
  ),
  asvs(
    '15.3.4',
    'Address of the client',
    'Forwarding headers are believed of named proxies alone.',
    'packages/server/src/api/client-address.test.ts',
    'is its peer’s where no proxy is trusted, whatever it says',
  ),
  asvs('15.3.5', 'Types', 'Text is no number, a list no text.', INJECTION, TYPES),
  asvs(
    '15.3.6',
    'Prototype pollution',
    '`__proto__` and `constructor` are names like others.',
    INJECTION,
    'of a name that objects have changes none of them',
  ),
  asvs(
    '15.3.7',
    'Parameter pollution',
    'A repeated parameter is a 400.',
    REQUESTS,
    'refuses a repeated parameter',
  ),
  asvs('15.4.2', 'Atomic checks', 'The window is asked and taken in one step.', LIMITS, ADMITS_TEN),

  asvs(
    '16.2.1',
    'Log entries',
    'When, who, what and with what result, of each request.',
    REQUEST_LOG,
    ONE_LINE,
  ),
  asvs('16.2.2', 'Times', 'UTC.', SERVER_LOG, 'writes whole lines of JSON, with level and time'),
  asvs(
    '16.2.4',
    'Format',
    'One JSON object a line.',
    SERVER_LOG,
    'writes whole lines of JSON, with level and time',
  ),
  asvs(
    '16.2.5',
    'Sensitive data',
    'Keys, tokens, paths and queries are not logged; what an error might quote of a secret is masked.',
    KEYS,
    NOT_LOGGED,
  ),
  asvs(
    '16.3.1',
    'Authentication',
    'Requests are logged with the id of their key, 401s as well.',
    REQUEST_LOG,
    ONE_LINE,
  ),
  asvs(
    '16.4.1',
    'Log injection',
    'No request makes a line.',
    INJECTION,
    'has the lines that Fleetgate wrote, and no other',
  ),
  asvs(
    '16.5.1',
    'Generic messages',
    'No answer has a stack, a query or a path of the machine.',
    LISTENERS,
    TELLS_NOTHING,
  ),
  asvs(
    '16.5.2',
    'Outages',
    'What cannot be read is a 503, never a 401 or an empty list.',
    'acceptance/decisions/when-a-part-is-down.test.ts',
    'answers 503 with Retry-After, never an empty list or a 401',
  ),
  asvs(
    '16.5.4',
    'Last resort',
    'After 40 kinds of malformed HTTP the process answers as before, and has reported no error.',
    MALFORMED,
    'goes on serving others',
  ),
  ...CONSOLE_ITEMS,
]

function top10(number: number, name: string, rule: string, file: string, test: string): Item {
  return { id: `API${number}:2023`, name, rule, test: { file, name: test } }
}
