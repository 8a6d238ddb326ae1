import { readFileSync } from 'node:fs'
import { type ConnectionOptions, getCACertificates } from 'node:tls'

/** The encryption of a connection, which a URL and the environment define as they do for libpq. */
export type Encryption = {
  /** The URL without the parameters of encryption, because the driver reads them differently. */
  connectionString: string
  /** The TLS options of the driver. False: a plain connection. */
  ssl: ConnectionOptions | false
  /** Whether to connect to a server without TLS too. */
  isOptional: boolean
}

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type Mode = (typeof MODES)[number]

const OWN = new Set(['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'])
/** A URL with a directory in place of the host name. */
const UNIX_SOCKET = /^[^?]*(?:@|\/\/)%2f|[?&]host=(?:\/|%2f)/i

/**
 * Follows https://www.postgresql.org/docs/current/libpq-ssl.html, and throws if it cannot. There are three
 * differences from libpq: this function reads no files in the user's home, `allow` asks for TLS first as
 * `prefer` does, and `verify-full` without `sslrootcert` trusts the authorities that ship with Node.js.
 */
export function encryptionOf(url: string): Encryption {
  const { connectionString, given } = split(url)
  const settingOf = (name: string) =>
    given.get(name) || process.env[`PG${name.toUpperCase()}`] || undefined
  const roots = settingOf('sslrootcert')
  const mode = modeOf(settingOf('sslmode') ?? modeOfSwitch(given.get('ssl')), roots)
  if (mode === 'disable' || UNIX_SOCKET.test(url)) {
    return { connectionString, ssl: false, isOptional: false }
  }
  const [cert, key] = [read('sslcert', settingOf('sslcert')), read('sslkey', settingOf('sslkey'))]
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

/** Splits a URL into the parameters of encryption (`given`) and the rest. */
function split(url: string): { connectionString: string; given: Map<string, string> } {
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

/** libpq knows only `ssl=true`. */
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
    // The certificate is verified, but may name another server.
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
