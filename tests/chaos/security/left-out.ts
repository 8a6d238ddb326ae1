/**
 * Requirements of the ASVS without a test here, and the reason. An id is a chapter, a section or a requirement.
 */
export type LeftOut = {
  ids: readonly string[]
  why: string
  /** Whether Fleetgate breaks the requirement, on purpose. */
  isUnmet?: boolean
}

/** The number of requirements in each section of ASVS 5.0.0. */
export const SECTIONS: Readonly<Record<string, number>> = {
  ...{ '1.1': 2, '1.2': 10, '1.3': 12, '1.4': 3, '1.5': 3 },
  ...{ '2.1': 3, '2.2': 3, '2.3': 5, '2.4': 2 },
  ...{ '3.1': 1, '3.2': 3, '3.3': 5, '3.4': 8, '3.5': 8, '3.6': 1, '3.7': 5 },
  ...{ '4.1': 5, '4.2': 5, '4.3': 2, '4.4': 4 },
  ...{ '5.1': 1, '5.2': 6, '5.3': 3, '5.4': 3 },
  ...{ '6.1': 3, '6.2': 12, '6.3': 8, '6.4': 6, '6.5': 8, '6.6': 4, '6.7': 2, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 3, '7.6': 2 },
  ...{ '8.1': 4, '8.2': 4, '8.3': 3, '8.4': 2 },
  ...{ '9.1': 3, '9.2': 4 },
  ...{ '10.1': 2, '10.2': 3, '10.3': 5, '10.4': 16, '10.5': 5, '10.6': 2, '10.7': 3 },
  ...{ '11.1': 4, '11.2': 5, '11.3': 5, '11.4': 4, '11.5': 2, '11.6': 2, '11.7': 2 },
  ...{ '12.1': 5, '12.2': 2, '12.3': 5 },
  ...{ '13.1': 4, '13.2': 6, '13.3': 4, '13.4': 7 },
  ...{ '14.1': 2, '14.2': 8, '14.3': 3 },
  ...{ '15.1': 5, '15.2': 5, '15.3': 7, '15.4': 4 },
  ...{ '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 4 },
  ...{ '17.1': 2, '17.2': 8, '17.3': 2 },
}

export const LEFT_OUT: readonly LeftOut[] = [
  {
    ids: ['1.2.6', '1.2.7', '1.2.8', '1.2.9', '1.3.1', '1.3.4', '1.3.5', '1.3.7'],
    why: 'No LDAP, XPath, LaTeX, HTML, SVG, Markdown or template is made of input, and no regular expression either.',
  },
  {
    ids: ['1.3.8', '1.3.9', '1.3.10', '1.3.11', '4.3', '4.4', '17'],
    why: 'There is no JNDI, memcache, format string, mail, GraphQL, WebSocket or WebRTC.',
  },
  {
    ids: ['1.4.1', '1.4.3', '1.5.3', '15.4.1', '15.4.3'],
    why: 'JavaScript manages its memory; one parser reads each format; threads share nothing but the database.',
  },
  {
    ids: ['2.3.5', '2.4.2'],
    why: 'Integrations are machines: nothing waits for human approval or human speed.',
  },
  {
    ids: [
      '3.1',
      '3.2.2',
      '3.2.3',
      '3.4.7',
      '3.5.5',
      '3.5.7',
      '3.7.1',
      '3.7.3',
      '3.7.5',
      '14.3.1',
      '14.3.3',
    ],
    why: 'The pages are a static reference without a script, a pinned copy of Scalar to try requests, and the console, built of pinned packages: they load nothing from elsewhere but tiles that the operator names, talk to no other window, keep nothing of a fleet in the browser’s storage, and report to nobody.',
  },
  {
    ids: ['3.3.1', '3.3.3'],
    why: 'The console’s cookies are `Secure`, with names that begin with `__Host-` or `__Secure-`, where it is said to be reached over HTTPS (`--console-url`). On loopback it is reached over plain HTTP, where a browser takes no cookie of such a name.',
  },
  {
    ids: ['3.5.2', '3.5.3', '3.5.8'],
    why: 'No other origin is let in. Changes are asked for with POST, PUT, PATCH and DELETE alone, from the console’s own origin or with a token, which no browser adds on its own.',
  },
  {
    ids: ['3.4.1', '3.5.4', '3.7.4', '8.4.2', '12.1.4', '12.1.5', '12.2.2'],
    why: 'Hostnames, certificates, HSTS and who reaches the operator’s listener are the deployment’s: a proxy’s, or the network’s (docs/operating/proxies.md).',
  },
  {
    ids: ['4.1.5', '11.3', '11.4.3', '11.4.4', '11.6', '11.7', '13.3.3'],
    why: 'Secrets of webhooks are sealed with AES-256-GCM, and deliveries signed with HMAC-SHA-256, both by `node:crypto` and tested with the webhooks. The cookie of a sign-on is sealed in the same way. Nothing else is signed or encrypted, and no key is derived from a password; data at rest is protected by the file system or the database.',
  },
  {
    ids: ['5.1', '5.2.4', '5.2.5', '5.2.6', '5.3.1', '5.3.3', '5.4', '14.2.8'],
    why: 'Uploaded files become rows and are not kept. CSV files are made while they are sent. The map’s file, which is given out as it is, is named by the operator. How much an organization may store is the operator’s to watch.',
  },
  {
    ids: ['6.2.4', '6.2.11', '6.2.12'],
    why: 'Not met: no list of common or leaked passwords is asked. Guesses are slowed down instead: strangers have 2,900 a day, all together.',
    isUnmet: true,
  },
  {
    ids: ['6.2.6', '6.2.7', '6.2.10', '6.3.3', '6.3.5', '6.3.6', '6.3.7'],
    why: 'A password never has to be changed, and managers may fill it in. Codes of an authenticator app are up to the person or the operator (docs/people.md). Nothing is sent by mail.',
  },
  {
    ids: ['6.4.2', '6.4.4', '6.4.5', '6.4.6', '6.5', '6.6', '6.7'],
    why: 'There are no hints. Links and codes of people, their roles and resets are tested in tests/acceptance/admin/people.test.ts.',
  },
  {
    ids: ['6.8.3', '6.8.4', '10.1.1', '10.3', '10.4', '10.6', '10.7'],
    why: 'Fleetgate is a client of OpenID Connect for the console alone, without SAML: no resource server, no authorization server, and no consent. The provider decides on second factors. Its tokens never reach a browser, but for the ID token that a session’s end shows to the provider. A sign-out at the provider ends sessions here if it posts its logouts. Otherwise they end after 12 hours, or when the account is disabled.',
  },
  {
    ids: ['7.3.1', '7.4.4', '7.5.2', '7.5.3', '9.2.4'],
    why: 'The contract authenticates with API keys. A session of the console ends 12 hours after it began, at its button, or with all others by a new password; each person sees and ends the own ones. Keys can be given an end; a cursor, of one algorithm and one service, opens nothing without a key.',
  },
  {
    ids: ['8.1.3', '8.1.4', '8.2.4', '8.3.3'],
    why: 'No decision depends on time of day, place or device, and none is passed on to another service.',
  },
  {
    ids: ['12.1.3', '12.3', '13.2.1', '13.2.2', '13.2.3', '13.2.5', '13.2.6', '13.3.1'],
    why: 'How the database, Redis and a geocoder are reached, with which accounts and certificates, is what their URLs say (`sslmode=verify-full`, `rediss://`), and how the machine keeps those URLs.',
  },
  {
    ids: [
      '2.1',
      '6.1',
      '7.1',
      '8.1.1',
      '8.1.2',
      '11.1',
      '13.1',
      '14.1',
      '15.1.1',
      '15.1.3',
      '15.1.4',
      '15.1.5',
      '16.1',
    ],
    why: 'Asks for documentation: docs/contract.md, docs/feed.md, docs/operating/ and SECURITY.md have what there is.',
  },
  {
    ids: ['11.2.1', '11.2.2', '11.2.3', '11.5.2'],
    why: 'All cryptography is OpenSSL’s, through Node.js: SHA-256, HMAC-SHA-256, TLS and the system’s generator. A form of key has a prefix by which another could follow it.',
  },
  {
    ids: ['14.3.2'],
    why: 'Not met: callers may keep answers with data, and ask after them with their tag (`private, no-cache`), because clients are servers. Refusals are `no-store`.',
    isUnmet: true,
  },
  {
    ids: ['15.2.1', '15.2.3', '15.4.4'],
    why: 'Judged by other means: `npm audit`, above, the image without tests, the parts of this page that load the server.',
  },
  {
    ids: ['16.2.3', '16.3.2', '16.3.3', '16.3.4', '16.4.2', '16.4.3', '16.5.3'],
    why: 'Every answer is logged to standard output, refusals with their status and failures with their cause; where that goes is the operator’s. Failing closed is judged by the parts about kills, disks and outages.',
  },
]

/** Requirements that Fleetgate breaks on purpose. */
export const NOT_MET = LEFT_OUT.filter(({ isUnmet }) => isUnmet)
