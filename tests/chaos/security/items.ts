import { CONSOLE_ITEMS } from './console-items.ts'
import { asvs, type Item } from './item.ts'
import { SIGN_ON_ITEMS } from './sign-on-items.ts'

export type { Item, TestName } from './item.ts'

const INJECTION = 'tests/acceptance/security/injection.test.ts'
const LISTENERS = 'tests/acceptance/security/listeners.test.ts'
const TLS = 'tests/acceptance/process/listeners/tls.test.ts'
const KEYS = 'tests/acceptance/security/keys.test.ts'
const RESOURCES = 'tests/acceptance/process/memory/resources.test.ts'
const DEPENDENCIES = 'tests/acceptance/security/dependencies.test.ts'
const REQUESTS = 'tests/acceptance/decisions/requests.test.ts'
const LIMITS = 'tests/acceptance/decisions/limits.test.ts'
const PAGES = 'tests/acceptance/decisions/more-rows-than-limit.test.ts'
const REFUSED = 'tests/acceptance/feed/refused.test.ts'
const MALFORMED = 'tests/acceptance/malformed-http/malformed.test.ts'
const MATRIX = 'tests/acceptance/isolation/matrix.test.ts'
const UNAUTHORIZED = 'tests/acceptance/every-operation/refused.test.ts'
const DOCS = 'tests/acceptance/documentation/open-200.test.ts'
const PARAMETERS = 'tests/acceptance/positions/parameters-400.test.ts'
const CREDENTIALS = 'tests/acceptance/admin/organizations.test.ts'
const ATTEMPTS = 'tests/acceptance/admin/sign-in-attempts.test.ts'
const SIGN_IN = 'tests/acceptance/admin/sign-in.test.ts'
const HOSTILE_SERVER = 'tests/acceptance/client/pull-hostile-server.test.ts'
const REQUEST_LOG = 'tests/acceptance/listeners/request-log.test.ts'
const SERVER_LOG = 'packages/server/src/run/serve/server-log.test.ts'
const GEOCODER = 'packages/server/src/base/geocoding/nominatim/nominatim-geocoder.test.ts'
const SECRET = 'packages/server/src/base/access/secret.test.ts'
const WEBHOOKS = 'packages/server/src/work/webhooks/sender.test.ts'
const POLICY = 'gives the reference page no script, and the page for trials its own alone'
const TELLS_NOTHING = 'reveals no software, sets no cookie and allows no other origin'
const NO_FILES = 'serves no file, folder or debugger, on any path'
const NOT_ONE_PATH_AWAY =
  'cannot be reached through the public one, and report only figures to an operator'
const OPENS = 'opens the API only; a token opens the feed only'
const TYPES = 'is refused if its type is wrong, never converted'
const ASSIGNED = 'sets a position only, whatever fields it names'
const NOT_LOGGED = 'are in no log, error, metric or list, wherever a caller puts them'
const NOWHERE_ELSE = 'never contacts another server, whatever the answer says'
const REACHABLE = 'connects to no address that is not allowed, by whatever name'
const GUESSED = 'uses a secure generator for every value that must not be guessable'
const FOREIGN = 'answers alike to a foreign and a missing id'
const TYPED = 'forbids content sniffing, and has a correct type'
const ADMITS_TEN =
  'admits ten of many simultaneous requests of all keys, and the next when Retry-After has passed'
const PINNED = 'are pinned by a lockfile with the hash of each, from any registry'
const TOO_LARGE = 'answers 413 to more bytes than the format allows, packed or unpacked'
const ONE_LINE = 'is one JSON line per request, and never holds a key'

export const ITEMS: readonly Item[] = [
  top10(
    1,
    'Broken object level authorization',
    'Foreign and missing ids get the same answer, byte for byte.',
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
    'The memory and parsing cost of bodies is limited, as are requests, headers and times.',
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
    'Webhooks reach public addresses and networks that the operator allows; the geocoder that the operator named is asked, and no address that an answer points to.',
    WEBHOOKS,
    REACHABLE,
  ),
  top10(
    8,
    'Security misconfiguration',
    'No answer reveals what made it, sets a cookie or lets another origin in.',
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
    'The answer of a geocoder is limited in time and length, and used only if it is an address.',
    GEOCODER,
    'backs off after any failure of the server, and logs it once',
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
    'is returned as the JSON that was sent',
  ),
  asvs(
    '1.2.1',
    'Encoding for HTTP',
    'Nothing that was sent makes a header.',
    INJECTION,
    'creates no header',
  ),
  asvs(
    '1.2.2',
    'Encoding in URLs',
    'The address of the next page is made of what was read, encoded again.',
    PAGES,
    'are at the address in Link, every row once, also after a restart',
  ),
  asvs(
    '1.2.3',
    'JSON injection',
    'Names come out as they went in, whatever characters they have.',
    INJECTION,
    'is returned as the JSON that was sent',
  ),
  asvs(
    '1.2.4',
    'SQL injection',
    'Values are parameters; ids are checked to be digits before they reach a store.',
    INJECTION,
    'is never executed as SQL',
  ),
  asvs(
    '1.2.5',
    'Command injection',
    'No name and no file runs a command.',
    INJECTION,
    'runs no command, and neither does its name',
  ),
  asvs(
    '1.2.10',
    'CSV and formula injection',
    'A spreadsheet runs no text of the CSV files that pull writes.',
    HOSTILE_SERVER,
    'has formulas as text unless its first run asked for raw texts',
  ),
  asvs(
    '1.3.2',
    'Dynamic code',
    'No code is made of text.',
    DEPENDENCIES,
    'never evaluates text as code, and passes none to a shell',
  ),
  asvs(
    '1.3.3',
    'Dangerous contexts',
    'Output cannot control or reorder a terminal.',
    INJECTION,
    'controls no terminal',
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
    'is a 400; digits without an object are a 404',
  ),
  asvs(
    '1.5.1',
    'XML external entities',
    'GPX with entities of its own reads no file and multiplies nothing.',
    INJECTION,
    'refers to no other file, and expands no entities',
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
    PARAMETERS,
    'GET /positions/latest with a wrong parameter: 400',
  ),
  asvs(
    '2.2.2',
    'Validation at the server',
    'The server checks each row, and reports why it rejected a row.',
    'tests/acceptance/feed/native.test.ts',
    'stores its good rows next to a bad one, and reports each result',
  ),
  asvs(
    '2.2.3',
    'Related data',
    'Start, end and length of a range are judged together.',
    'tests/acceptance/decisions/history-maxima.test.ts',
    'refuses a longer range than the maximum, and names the maximum',
  ),
  asvs(
    '2.3.1',
    'Order of steps',
    'Key, window, subscription, parameters, object, quota: in this order.',
    'tests/acceptance/decisions/order-of-the-checks.test.ts',
    'Order of the checks',
  ),
  asvs(
    '2.3.2',
    'Business limits',
    'The daily quota of an object is a limit.',
    LIMITS,
    'charges history, latest and detail to one counter per object',
  ),
  asvs(
    '2.3.3',
    'All or nothing',
    'A call charges all of its objects or none.',
    LIMITS,
    'charges all of the requested objects or none',
  ),
  asvs('2.3.4', 'Locking', 'Simultaneous requests never exceed the window.', LIMITS, ADMITS_TEN),
  asvs(
    '2.4.1',
    'Anti-automation',
    'The window says when the next request is admitted, and keeps to it.',
    LIMITS,
    ADMITS_TEN,
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
    'The API sends no CORS headers: keys belong on servers.',
    'tests/acceptance/process/listeners/plain-http.test.ts',
    'has no CORS headers',
  ),
  asvs(
    '3.4.3',
    'Content-Security-Policy',
    'The reference page runs no script; the page for trials runs its own alone.',
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
    "`frame-ancestors 'none'` on the reference page and the console.",
    LISTENERS,
    POLICY,
  ),
  asvs(
    '3.4.8',
    'Cross-Origin-Opener-Policy',
    '`same-origin` on the reference page and the console.',
    LISTENERS,
    POLICY,
  ),
  asvs(
    '3.5.1',
    'Cross-site requests',
    'A key is a header that no browser sends on its own; a change in the console must come from its own origin.',
    SIGN_IN,
    'A change that a page of another site sends',
  ),
  asvs(
    '3.5.6',
    'JSONP',
    'The API has no JSONP.',
    LISTENERS,
    'answers no JSONP and no other format',
  ),
  asvs(
    '3.6.1',
    'External resources',
    'The reference page loads what this server has, and nothing else.',
    DOCS,
    'loads files of this server only',
  ),
  asvs(
    '3.7.2',
    'Redirects',
    'Only single sign-on redirects: to its provider, and to a path of the console.',
    LISTENERS,
    'redirects no request',
  ),

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
    'ignores headers that would change method, path, host or caller',
  ),
  asvs(
    '4.1.4',
    'Methods',
    'GET and HEAD; all else is a 405.',
    'tests/acceptance/every-operation/refused.test.ts',
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
    'has its declared length',
  ),
  asvs(
    '4.2.3',
    'Fields of a connection in HTTP/2',
    'HTTP/2 is not spoken: a client that offers nothing else is refused in the handshake.',
    TLS,
    'refuses a client that offers only HTTP/2',
  ),
  asvs(
    '4.2.4',
    'CR and LF in HTTP/2',
    'HTTP/2 is not spoken: a client that offers nothing else is refused in the handshake.',
    TLS,
    'refuses a client that offers only HTTP/2',
  ),
  asvs(
    '4.2.5',
    'Requests to others',
    'A request to a geocoder has a few short parameters.',
    GEOCODER,
    'sends the documented request, and identifies itself',
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
    'A gzip body must be complete and valid.',
    REFUSED,
    'answers 400 to invalid or truncated gzip',
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
    'share a small limit for each /8, and do not delay other clients',
  ),
  asvs(
    '6.3.2',
    'Default accounts',
    'There is no key before one is issued.',
    KEYS,
    'does not exist before one is issued',
  ),
  asvs(
    '6.3.4',
    'Several ways in',
    'Each place of a token is documented, and none is weaker.',
    REFUSED,
    'answers 401 without a token, and to a wrong one, two of them, or an API key',
  ),
  asvs(
    '6.3.8',
    'Enumeration',
    'A key that is unknown, expired or revoked is refused in one way.',
    KEYS,
    'answers alike if unknown or revoked, and differently if malformed',
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
    'uses every Base62 character equally often',
  ),
  asvs(
    '7.4.1',
    'Termination',
    'A revoked key stops with the next request.',
    LIMITS,
    'can be several per organization, and stop working at once when revoked',
  ),
  asvs(
    '7.4.2',
    'Deleted accounts',
    'Keys and tokens go with their organization.',
    'tests/acceptance/process/command-line/seen-at-once.test.ts',
    'for a deleted organization',
  ),
  asvs(
    '7.4.5',
    'Termination by administrators',
    'The operator can revoke any permanently.',
    CREDENTIALS,
    'ends at once when revoked, and remains revoked',
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
    'The next request sees the changes of a command.',
    'tests/acceptance/process/command-line/seen-at-once.test.ts',
    'for the settings of an organization',
  ),
  asvs(
    '8.4.1',
    'Tenants',
    'Knowing another’s idents and ids changes nothing of it.',
    KEYS,
    "cannot change another's data, even with its idents and ids",
  ),

  asvs(
    '9.1.1',
    'Integrity of tokens',
    'A cursor is sealed by HMAC-SHA-256 with the deployment’s secret.',
    PAGES,
    'refuse a cursor that was tampered with, and that of another object',
  ),
  asvs(
    '9.2.2',
    'Purpose of tokens',
    'A cursor opens the object and range that it was made for.',
    PAGES,
    'refuse a cursor that was tampered with, and that of another object',
  ),

  asvs(
    '11.2.4',
    'Constant time',
    'Seals are compared in constant time; keys are looked up by their SHA-256, so that timing reveals nothing of use.',
    'packages/server/src/base/access/authenticate-key.test.ts',
    'is looked up by its hash only',
  ),
  asvs(
    '11.2.5',
    'Failing securely',
    'A cursor with any bit changed is one refusal, whichever bit.',
    'packages/server/src/faces/api/operations/list-positions.test.ts',
    'does not open with any bit flipped',
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
    'is 1.2 or 1.3, with ciphers that have forward secrecy',
  ),
  asvs(
    '12.1.2',
    'Ciphers',
    'Forward secrecy and authenticated encryption alone.',
    LISTENERS,
    'is 1.2 or 1.3, with ciphers that have forward secrecy',
  ),
  asvs(
    '12.2.1',
    'TLS to clients',
    'TLS of its own or a proxy’s; plain HTTP beyond loopback is warned of.',
    'tests/acceptance/process/listeners/plain-http.test.ts',
    'causes a warning on an address other than loopback',
  ),

  asvs(
    '13.2.4',
    'Outbound allowlist',
    'The database, Redis and a geocoder that the operator names; webhooks, in public and in allowed networks; nothing that data name.',
    WEBHOOKS,
    REACHABLE,
  ),
  asvs(
    '13.3.2',
    'Access to secrets',
    'Data and backups are readable by their owner alone.',
    KEYS,
    'is readable by its owner only, and so is its backup, under any umask',
  ),
  asvs(
    '13.3.4',
    'Rotation',
    'Keys expire, and are rotated with an overlap.',
    LIMITS,
    'overlap for the requested time when rotated',
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
    'tests/acceptance/process/lifecycle/debugger.test.ts',
    'SIGUSR1 opens no debugger',
  ),
  asvs('13.4.3', 'Directory listings', 'The server lists no directories.', LISTENERS, NO_FILES),
  asvs(
    '13.4.4',
    'TRACE',
    'Is a 405 on every listener.',
    LISTENERS,
    'accept their own methods only, and never TRACE',
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
    'does not accept a key in the URL',
  ),
  asvs(
    '14.2.2',
    'Caches on the way',
    'Answers with data are private; refusals and the feed’s answers are not stored.',
    LISTENERS,
    'allows only the caller to cache it, and nobody to cache a refusal',
  ),
  asvs('14.2.3', 'Third parties', 'The reference page asks no other host.', LISTENERS, POLICY),
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
    'tests/acceptance/every-operation/refused.test.ts',
    'Unknown path: 404',
  ),
  asvs(
    '14.2.6',
    'Minimum of sensitive data',
    'A key is shown once; then its first and last characters.',
    LIMITS,
    'are stored nowhere in the data folder, and shown by no command',
  ),
  asvs(
    '14.2.7',
    'Retention',
    'Positions older than the organization keeps are neither shown nor kept.',
    'tests/acceptance/decisions/retention.test.ts',
    'hides older days from the next request on',
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
    'A client that sends requests without pause delays no other client.',
    RESOURCES,
    'takes little from others when it sends requests without pause',
  ),
  asvs(
    '15.2.4',
    'Expected repositories',
    'Installed packages have the hashes of the lockfile, from any registry.',
    DEPENDENCIES,
    PINNED,
  ),
  asvs(
    '15.2.5',
    'Risky components',
    'Packages run no script at their install but those that were looked at.',
    DEPENDENCIES,
    'run no install scripts except the reviewed ones',
  ),
  asvs(
    '15.3.1',
    'Subset of fields',
    'The documented fields, all of them and no other.',
    'tests/acceptance/objects/objects-200.test.ts',
    'always returns all documented fields in the documented order; Answers: null or absent',
  ),
  asvs(
    '15.3.2',
    'No redirects followed',
    'The server follows no redirect of a geocoder.',
    GEOCODER,
    NOWHERE_ELSE,
  ),
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
    'packages/server/src/base/http/client-address.test.ts',
    'is the peer’s without a trusted proxy, regardless of headers',
  ),
  asvs('15.3.5', 'Types', 'Text is no number, a list no text.', INJECTION, TYPES),
  asvs(
    '15.3.6',
    'Prototype pollution',
    '`__proto__` and `constructor` are names like others.',
    INJECTION,
    'changes no object if it is a name of a built-in property',
  ),
  asvs(
    '15.3.7',
    'Parameter pollution',
    'A repeated parameter is a 400.',
    PARAMETERS,
    'GET /objects/{id}/positions with a wrong parameter: 400',
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
    'has only lines that Fleetgate wrote',
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
    'Unreadable data is a 503, never a 401 or an empty list.',
    'tests/acceptance/process/kills/when-a-part-is-down.test.ts',
    'answers 503 with Retry-After, never an empty list or a 401',
  ),
  asvs(
    '16.5.4',
    'Last resort',
    'After 40 kinds of malformed HTTP the process answers as before, and has reported no error.',
    MALFORMED,
    'leaves other clients served',
  ),
  ...CONSOLE_ITEMS,
  ...SIGN_ON_ITEMS,
]

function top10(number: number, name: string, rule: string, file: string, test: string): Item {
  return { id: `API${number}:2023`, name, rule, test: { file, name: test } }
}
