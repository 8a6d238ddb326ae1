import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import OidcProvider, { type ProviderContext } from 'oidc-provider'
import { clock } from './clock.ts'
import type { Json } from './fleetgate.ts'

export const CLIENT = { id: 'fleetgate', secret: 'a secret of the client, 32 bytes' }

/** The claims of the person who signs in. `sub` is who it is. */
export type PersonClaims = { sub: string; [claim: string]: Json }

/** A provider of OpenID Connect in this process (`oidc-provider`), whose only person signs in without being asked. */
export type TestProvider = {
  readonly issuer: string
  /** The person who signs in next. Null: somebody who gives up at the provider. */
  person: PersonClaims | null
  /** Whether claims are in the ID token, or at the user-info endpoint alone, as the standard has it. */
  isThick: boolean
  /** Changes the claims of ID tokens, which are signed again. */
  shift: (claims: Json) => Json | Promise<Json>
  /** Changes signed ID tokens. */
  spoil: (token: string) => string
  /** The endpoints that do not answer, by their paths. */
  readonly down: Set<string>
  /** Paths that were asked for. */
  readonly asked: string[]
  /** A logout token with these claims more, as of now. */
  logoutToken(claims: Json): string
  /** Lets the console at this origin be a client. */
  register(console: string): void
}

/** Starts it. `host`: the name by which it calls itself. It ends after the tests of the file. */
export async function startProvider(host = 'localhost'): Promise<TestProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://provider').pathname
    provider.asked.push(path)
    if (provider.down.has(path)) return void request.socket.destroy()
    answer!(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`
  const provider: TestProvider = {
    issuer,
    person: { sub: 'somebody' },
    isThick: true,
    shift: (claims) => claims,
    spoil: (token) => token,
    down: new Set(),
    asked: [],
    logoutToken(claims) {
      const iat = Math.floor(clock.now() / 1_000)
      const all = { iss: issuer, aud: CLIENT.id, iat, exp: iat + 120, ...LOGOUT, ...claims }
      return signed(headerOf({ typ: 'logout+jwt' }), all, privateKey)
    },
    register(console) {
      answer = answerer(provider, console, privateKey)
    },
  }
  return provider
}

/** The event of a logout token. */
const LOGOUT = { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }
const KID = 'the key of the provider'

function headerOf(more: Json): string {
  return Buffer.from(JSON.stringify({ alg: 'RS256', kid: KID, ...more })).toString('base64url')
}

function answerer(test: TestProvider, console: string, key: KeyObject) {
  const oidc = new OidcProvider(test.issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${console}/admin/v1/sign-on/callback`],
        post_logout_redirect_uris: [`${console}/`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        backchannel_logout_uri: `${console}/admin/v1/sign-on/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: KID, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['of the cookies'] },
    claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    conformIdTokenClaims: false,
    // Its own dispatcher refuses addresses of this machine, where the console is.
    fetch: (url: string, { dispatcher: _, ...options }: RequestInit & Json) => fetch(url, options),
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: confirmAtOnce },
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async (use: string) =>
        use === 'userinfo' || test.isThick ? { ...test.person, sub } : { sub },
    }),
    async loadExistingGrant({ oidc: { client, session, params } }: ProviderContext) {
      const grant = new oidc.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope(params.scope)
      await grant.save()
      return grant
    },
  })
  oidc.use(async (context: ProviderContext, next: () => Promise<void>) => {
    await next()
    if (context.path !== '/token' || context.body?.id_token === undefined) return
    context.body.id_token = test.spoil(await shifted(context.body.id_token, test.shift, key))
  })
  const toProvider = oidc.callback()
  return (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url!.startsWith('/interaction/')) return toProvider(request, response)
    const result =
      test.person === null
        ? { error: 'access_denied', error_description: 'The person gave up.' }
        : { login: { accountId: test.person.sub } }
    oidc.interactionFinished(request, response, result)
  }
}

/** The page that asks whether to sign out: it is confirmed at once. */
function confirmAtOnce(context: ProviderContext, form: string): void {
  const answer = '<input type="hidden" name="logout" value="yes">'
  const confirmed = form.replace('</form>', `${answer}</form>`)
  context.body = `<!doctype html><title>Sign out</title>${confirmed}<script>document.forms[0].submit()</script>`
}

async function shifted(
  token: string,
  shift: TestProvider['shift'],
  key: KeyObject,
): Promise<string> {
  const [header = '', payload = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return signed(header, await shift(onClock(claims)), key)
}

/** The provider has a clock of its own. Its tokens are as of the clock of the tests. */
function onClock({ iat, exp, ...claims }: Json): Json {
  const ahead = Math.round((clock.now() - Date.now()) / 1_000)
  return { ...claims, iat: iat + ahead, exp: exp + ahead }
}

function signed(header: string, claims: Json, key: KeyObject): string {
  const body = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${body}.${sign('sha256', Buffer.from(body), key).toString('base64url')}`
}
