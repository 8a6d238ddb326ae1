import { readFileSync } from 'node:fs'
import { type ConnectionOptions, getCACertificates } from 'node:tls'

/** How a connection is encrypted, as libpq reads it of a URL and of the environment. */
export type Encryption = {
  /** The URL without what is said of encryption, which the driver would read otherwise. */
  connectionString: string
  /** The TLS options of the driver. False: a plain connection. */
  ssl: ConnectionOptions | false
  /** Whether a server without TLS is connected to all the same. */
  isOptional: boolean
}

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]

const OWN = new Set(['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'])
/** A directory in place of a host name. */
const UNIX_SOCKET = /^[^?]*(?:@|\/\/)%2f|[?&]host=(?:\/|%2f)/i

/**
 * The rules of https://www.postgresql.org/docs/current/libpq-ssl.html. Throws where they cannot be
 * followed. Unlike libpq it looks for no files in the user's home, `allow` asks for TLS first as `prefer`
 * does, and `verify-full` without `sslrootcert` trusts the authorities that ship with Node.js.
 */
export function encryptionOf(url: string): Encryption {
  const { connectionString, given } = parted(url)
  const said = (name: string) =>
    given.get(name) || process.env[`PG${name.toUpperCase()}`] || undefined
  const roots = said('sslrootcert')
  const mode = modeOf(said('sslmode') ?? modeOfSwitch(given.get('ssl')), roots)
  if (mode === 'disable' || UNIX_SOCKET.test(url)) {
    return { connectionString, ssl: false, isOptional: false }
  }
  const [cert, key] = [read('sslcert', said('sslcert')), read('sslkey', said('sslkey'))]
  return {
    connectionString,
    ssl: {
      ...verificationOf(mode, roots),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
    isOptional: mode === 'allow' || mode === 'prefer',
  }
}

/** A URL without the parameters that are read here, and those. */
function parted(url: string): { connectionString: string; given: Map<string, string> } {
  const [address, query = ''] = url.split(/\?(.*)/s) as [string, string?]
  const given = new Map<string, string>()
  const others: string[] = []
  for (const each of query.split('&')) {
    const [name, value = ''] = each.split(/=(.*)/s) as [string, string?]
    if (OWN.has(name)) given.set(name, decodeURIComponent(value))
    else if (each !== '') others.push(each)
  }
  return { connectionString: others.length > 0 ? `${address}?${others.join('&')}` : address, given }
}

function modeOf(written: string | undefined, roots: string | undefined): Mode {
  const usual = roots === 'system' ? 'verify-full' : 'prefer'
  const mode = MODES.find((each) => each === (written ?? usual))
  if (mode === undefined) {
    throw new Error(
      `sslmode=${written} is unknown: it must be disable, allow, prefer, require, verify-ca or verify-full`,
    )
  }
  if (roots === 'system' && mode !== 'verify-full') {
    throw new Error(`sslrootcert=system needs sslmode=verify-full, and ${mode} is given`)
  }
  return mode
}

/** The one form of `ssl` that libpq knows. */
function modeOfSwitch(written: string | undefined): Mode | undefined {
  if (written === undefined) return undefined
  if (written === 'true') return 'require'
  throw new Error(`ssl=${written} is unknown: it must be ssl=true, or give sslmode in its place`)
}

function verificationOf(mode: Mode, roots: string | undefined): ConnectionOptions {
  if (roots === undefined && mode === 'verify-ca') {
    throw new Error(
      'sslmode=verify-ca needs sslrootcert: the file with the certificate of the authority that signed the one of PostgreSQL',
    )
  }
  const isVerified = mode.startsWith('verify-') || (mode === 'require' && roots !== undefined)
  if (!isVerified) return { rejectUnauthorized: false }
  const ca = roots === 'system' ? getCACertificates('system') : read('sslrootcert', roots)
  return {
    ...(ca === undefined ? {} : { ca }),
    // The certificate is verified, and may be for another name.
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}

function read(parameter: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`the file of ${parameter} cannot be read (${code}): ${file}`)
  }
}
