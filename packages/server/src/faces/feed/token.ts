import { type Denial, denialOf } from '../../base/access/authenticate-key.ts'
import { FEED_TOKEN, hashSecret, looksLike } from '../../base/access/secret.ts'
import type { Credential } from '../../base/domain/credential.ts'

/** The record of a valid feed token. Its organization may be `DEPLOYMENT`. */
export type FeedToken = Pick<Credential, 'organization' | 'id' | 'client'>

const BEARER = /^bearer +(\S+)$/i
const BASIC = /^basic +([\w+/=-]+)$/i

/**
 * Returns the token of a request. Undefined if it has none or the token is ambiguous. The path's token
 * goes before headers, and `x-feed-token` before `Authorization`, which may belong to a proxy. A repeated
 * header gives none. `Authorization` is Bearer, or Basic with the token as password for clients that know
 * no other way.
 */
export function presentedToken(
  inPath: string | undefined,
  rawHeaders: readonly string[],
): string | undefined {
  if (inPath !== undefined) return inPath
  const { tokens, authorizations } = headersOf(rawHeaders)
  if (tokens.length > 0) return tokens.length === 1 ? tokens[0] : undefined
  return authorizations.length === 1 ? tokenIn(authorizations[0]!) : undefined
}

/** The values of the headers that can carry a token. */
function headersOf(rawHeaders: readonly string[]) {
  const tokens: string[] = []
  const authorizations: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    // Compare lengths first: most headers are others, and lower-casing copies each.
    if (name.length === 12 && name.toLowerCase() === 'x-feed-token') {
      tokens.push(rawHeaders[i + 1]!)
    } else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      authorizations.push(rawHeaders[i + 1]!)
    }
  }
  return { tokens, authorizations }
}

function tokenIn(authorization: string): string | undefined {
  const bearer = BEARER.exec(authorization)
  if (bearer !== null) return bearer[1]
  const basic = BASIC.exec(authorization)
  if (basic === null) return undefined
  const credentials = Buffer.from(basic[1]!, 'base64').toString()
  const colon = credentials.indexOf(':')
  return colon === -1 ? undefined : credentials.slice(colon + 1)
}

/** Finds feed tokens and notes their uses. */
type Ring = {
  find(hash: string, now: number): Credential | undefined
  noteUse(token: Credential, now: number): void
}

/** Finds the record of a feed token that is valid at `now`, and notes its use. `rings`: of organizations, of the deployment. */
export function feedTokenFinder(
  ...rings: readonly Ring[]
): (token: string, now: number) => Credential | undefined {
  return (token, now) => {
    // An API key or a mistyped token is not looked up.
    if (!looksLike(FEED_TOKEN, token)) return undefined
    const hash = hashSecret(token)
    for (const ring of rings) {
      const found = ring.find(hash, now)
      if (found === undefined) continue
      ring.noteUse(found, now)
      return found
    }
    return undefined
  }
}

/** Why a request has no valid token, for the log. */
export type FeedDenial = (
  inPath: string | undefined,
  rawHeaders: readonly string[],
  now: number,
) => Denial

/** Finds out why requests have no valid token. `known`: the record of a hash, valid or not. */
export function feedDenials(known: (hash: string) => Credential | undefined): FeedDenial {
  return (inPath, rawHeaders, now) => {
    const token = presentedToken(inPath, rawHeaders)
    if (token !== undefined) return denialOf(token, [FEED_TOKEN], known(hashSecret(token)), now)
    const { tokens, authorizations } = headersOf(rawHeaders)
    const most = Math.max(tokens.length, authorizations.length)
    return { reason: most === 0 ? 'missing' : most === 1 ? 'malformed' : 'repeated' }
  }
}
