import type { FetchImplementation, RemoteJWKSet } from 'jose'
import type * as OpenId from 'openid-client'
import type { CustomFetchOptions } from 'openid-client'
import { boundedText, fetchFailure, isLoopback } from '../../../base/domain/common/fetching.ts'
import type { Clock } from '../../../base/domain/time/time.ts'
import type { SignOnSettings } from '../access/sign-on-settings.ts'
import { type Claims, type Logout, logoutIn } from './claims.ts'
import type { Flow } from './flow.ts'
import { RefusedSignOn, refusalOf } from './refused-sign-on.ts'

/** How far the clocks of the provider and of this server may be apart. */
const CLOCK_TOLERANCE_S = 60
/** The provider's metadata are read again after this time. */
const METADATA_MS = 3_600_000
const TIMEOUT_S = 5
const KEYS_MS = 300_000

/** The provider of sign-on, by OpenID Connect. All of it throws `RefusedSignOn`. */
type Provider = {
  /** The page of the provider to which the browser goes. `callback`: where it returns to. */
  signInUrl(flow: Flow, callback: string): Promise<URL>
  /** Asks the provider who the person is. `answer`: the callback with the parameters that the browser brought. */
  identify(flow: Flow, answer: URL): Promise<{ claims: Claims; idToken: string }>
  /** The sessions that a logout token of the provider ends. */
  logout(token: string): Promise<Logout>
  /** The page of the provider that ends the sign-in there. Null: it has none. `to`: where it leads. */
  signOutUrl(idToken: string | null, to: string): Promise<URL | null>
}

/** Asks the provider nothing before somebody signs in. */
export function openProvider(settings: SignOnSettings, clock: Clock): Provider {
  const ask = asking(settings, clock)
  let logoutKeys: { from: string; get: RemoteJWKSet } | undefined

  return {
    signInUrl: (flow, callback) =>
      ask(async (library, provider) => {
        const parameters = {
          redirect_uri: callback,
          scope: settings.scopes,
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
        }
        return library.buildAuthorizationUrl(provider, parameters)
      }),
    identify: (flow, answer) =>
      ask(async (library, provider) => {
        const tokens = await library.authorizationCodeGrant(provider, answer, {
          expectedState: flow.state,
          expectedNonce: flow.nonce,
          pkceCodeVerifier: flow.verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()!
        refuseUnchecked(claims, clock)
        const isMissing = claims.email === undefined || claims[settings.groupsClaim] === undefined
        const more: Partial<Claims> =
          isMissing && provider.serverMetadata().userinfo_endpoint !== undefined
            ? await library.fetchUserInfo(provider, tokens.access_token, claims.sub)
            : {}
        return { claims: mergedClaims(more, claims), idToken: tokens.id_token! }
      }),
    logout: (token) =>
      ask(async (_, provider) => {
        const server = provider.serverMetadata()
        const from = server.jwks_uri!
        if (logoutKeys?.from !== from) logoutKeys = { from, get: await remoteKeys(from) }
        return logoutIn(token, logoutKeys.get, {
          issuer: server.issuer,
          audience: settings.clientId,
          algorithms: algorithmsOf(server),
          clockTolerance: CLOCK_TOLERANCE_S,
          currentDate: new Date(clock.now()),
        })
      }),
    signOutUrl: (idToken, to) =>
      ask((library, provider) => {
        if (provider.serverMetadata().end_session_endpoint === undefined) return null
        const parameters: Record<string, string> = { post_logout_redirect_uri: to }
        if (idToken !== null) parameters.id_token_hint = idToken
        return library.buildEndSessionUrl(provider, parameters)
      }),
  }
}

/** Runs work with the library and the provider's present metadata and keys. Throws `RefusedSignOn`. */
type Ask = <Answer>(
  work: (library: typeof OpenId, provider: OpenId.Configuration) => Promise<Answer> | Answer,
) => Promise<Answer>

/** Keeps the provider's metadata and keys, and reads them when they are needed. */
function asking(settings: SignOnSettings, clock: Clock): Ask {
  let known: { since: number; server: OpenId.ServerMetadata } | null = null
  let asked: Promise<OpenId.ServerMetadata> | null = null
  let keys: OpenId.ExportedJWKSCache | undefined

  async function metadata(): Promise<OpenId.ServerMetadata> {
    const now = clock.now()
    if (known !== null && now - known.since < METADATA_MS) return known.server
    asked ??= discover(settings).finally(() => {
      asked = null
    })
    const server = await asked
    known = { since: now, server }
    return server
  }

  return async (work) => {
    try {
      const library = await import('openid-client')
      const provider = configured(library, await metadata(), settings, clock)
      if (keys !== undefined) library.setJwksCache(provider, keys)
      const answer = await work(library, provider)
      keys = library.getJwksCache(provider)
      return answer
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

/** The keys of the provider, which are read again after as long as those of sign-ins, or for a key that is not known. */
async function remoteKeys(from: string): Promise<RemoteJWKSet> {
  const { createRemoteJWKSet, customFetch } = await import('jose')
  return createRemoteJWKSet(new URL(from), {
    [customFetch]: boundedFetch,
    timeoutDuration: TIMEOUT_S * 1_000,
    cacheMaxAge: KEYS_MS,
  })
}

/** The algorithms of signatures that only the provider can make: whoever knows the secret of this client could make others. */
function algorithmsOf({ id_token_signing_alg_values_supported: all }: OpenId.ServerMetadata) {
  return (all ?? ['RS256']).filter((each) => !/^(?:none|HS\d+)$/.test(each))
}

/** Throws `RefusedSignOn` if the issuer's metadata cannot be had, or are another's. */
async function discover({ issuer, clientId }: SignOnSettings): Promise<OpenId.ServerMetadata> {
  const library = await import('openid-client')
  const options: OpenId.DiscoveryRequestOptions = {
    timeout: TIMEOUT_S,
    [library.customFetch]: boundedFetch,
  }
  if (isOnThisMachine(issuer)) options.execute = [library.allowInsecureRequests]
  const found = await library
    .discovery(issuer, clientId, undefined, undefined, options)
    .catch((error) => {
      const { message } = refusalOf(error)
      throw new RefusedSignOn('unavailable', `its metadata cannot be used: ${message}`)
    })
  const server = found.serverMetadata()
  // The library takes a provider of all tenants as well, some of whom would be strangers.
  if (new URL(server.issuer).href !== issuer.href) {
    throw new RefusedSignOn('unavailable', 'its metadata names another issuer')
  }
  for (const name of [...NEEDED, ...USED]) {
    const endpoint = server[name]
    if (typeof endpoint === 'string') trusted(endpoint)
    else if (NEEDED.includes(name)) {
      throw new RefusedSignOn('unavailable', `its metadata have no ${name}`)
    }
  }
  return server
}

/** Metadata with an endpoint that cannot be used are not kept. */
const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
const USED = ['userinfo_endpoint', 'end_session_endpoint']

function configured(
  library: typeof OpenId,
  server: OpenId.ServerMetadata,
  { issuer, clientId, clientSecret }: SignOnSettings,
  clock: Clock,
): OpenId.Configuration {
  const metadata = {
    [library.clockSkew]: Math.round((clock.now() - Date.now()) / 1_000),
    [library.clockTolerance]: CLOCK_TOLERANCE_S,
  }
  const made = new library.Configuration(
    server,
    clientId,
    metadata,
    authentication(library, server, clientSecret),
  )
  made.timeout = TIMEOUT_S
  made[library.customFetch] = boundedFetch
  // Signatures are checked although the tokens come from the provider's own endpoint.
  library.enableNonRepudiationChecks(made)
  if (isOnThisMachine(issuer)) library.allowInsecureRequests(made)
  return made
}

/** Every provider takes HTTP Basic, unless it says otherwise. */
function authentication(
  library: typeof OpenId,
  { token_endpoint_auth_methods_supported: methods }: OpenId.ServerMetadata,
  secret: string | null,
): OpenId.ClientAuth {
  if (secret === null) return library.None()
  const isBasic = methods === undefined || methods.includes('client_secret_basic')
  return isBasic ? library.ClientSecretBasic(secret) : library.ClientSecretPost(secret)
}

/** Those of the ID token count. What is said of another address at the user-info endpoint does not hold for that of the token. */
function mergedClaims(more: Partial<Claims>, claims: Claims): Claims {
  if (claims.email === undefined || claims.email === more.email) return { ...more, ...claims }
  const { email_verified: _, xms_edov: __, ...others } = more
  return { ...others, ...claims }
}

/** The library checks when a token ends, but not that it was issued by now, or that its subject is not empty. */
function refuseUnchecked({ iat, sub }: Pick<OpenId.IDToken, 'iat' | 'sub'>, clock: Clock): void {
  if (iat > Math.floor(clock.now() / 1_000) + CLOCK_TOLERANCE_S) {
    throw new RefusedSignOn('not_verified', 'the ID token was issued in the future')
  }
  if (sub === '') throw new RefusedSignOn('not_verified', 'the ID token has no subject')
}

/** Enough for the keys of any provider, and for a person in some thousand groups. */
const MAX_ANSWER_BYTES = 1 << 20
/** The requests of both libraries. */
type Options = CustomFetchOptions | Parameters<FetchImplementation>[1]
const WITHOUT_BODY = [204, 205, 304]

/**
 * Asks the provider, by HTTPS alone, and reads an answer of bounded length. The caller's signal bounds the time. Rejects with
 * `RefusedSignOn` if there is no answer, or one that says that the provider is down.
 */
async function boundedFetch(target: string, options: Options): Promise<Response> {
  const url = trusted(target)
  const { status, headers, body } = await fetched(url, options)
  if (status >= 500) throw unavailable(url, `status ${status}`)
  return new Response(WITHOUT_BODY.includes(status) ? null : body, { status, headers })
}

/** The URL of an endpoint. Throws `RefusedSignOn` if what is sent there could be read or changed on its way. */
function trusted(target: string): URL {
  const url = URL.parse(target)
  if (url !== null && (url.protocol === 'https:' || isOnThisMachine(url))) return url
  throw new RefusedSignOn('unavailable', `the provider names ${url?.origin}, which is not HTTPS`)
}

/** A provider for trials. */
export function isOnThisMachine({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return protocol === 'http:' && (host === 'localhost' || isLoopback(host))
}

async function fetched(url: URL, { signal, ...options }: Options) {
  try {
    const response = await fetch(url, { ...options, signal: signal ?? null } as RequestInit)
    const body = await boundedText(response.body, MAX_ANSWER_BYTES)
    return { status: response.status, headers: response.headers, body }
  } catch (error) {
    throw unavailable(url, fetchFailure(error))
  }
}

function unavailable({ origin }: URL, reason: string): RefusedSignOn {
  return new RefusedSignOn('unavailable', `${origin} does not answer: ${reason}`)
}
