import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import pg from 'pg'
import { asUnavailable } from './unavailable.ts'

/** The encryption of a connection, which a URL and the environment define as they do for libpq. */
type Encryption = {
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
function encryptionOf(url: string): Encryption {
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
      `sslmode must be disable, allow, prefer, require, verify-ca or verify-full, not ${written}`,
    )
  }
  if (roots === 'system' && mode !== 'verify-full') {
    throw new Error(`sslrootcert=system requires sslmode=verify-full, not ${mode}`)
  }
  return mode
}

/** libpq knows only `ssl=true`. */
function modeOfSwitch(written: string | undefined): Mode | undefined {
  if (written === undefined) return undefined
  if (written === 'true') return 'require'
  throw new Error(`ssl must be true, not ${written}; or use sslmode instead`)
}

function verificationOf(mode: Mode, roots: string | undefined): ConnectionOptions {
  if (roots === undefined && mode === 'verify-ca') {
    throw new Error(
      'sslmode=verify-ca requires sslrootcert: the file with the certificate of the authority that signed the one of PostgreSQL',
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

const CONNECT_MS = 3_000

export type ClientSettings = pg.ClientConfig & {
  /** Whether to continue without TLS if the server refuses it. The driver has no such setting. */
  isTlsOptional: boolean
  /** The first statements of a session. */
  session: string
}

/**
 * The settings of every session. They override those of the server, the database, the role and the URL.
 * Values are read exactly, as text. A statement waits for rows that another one has locked, and then reads
 * their newest state. Generic plans are off, because they would lock every partition of the positions.
 * Statements make these settings, because a pooler may drop startup parameters.
 */
const SESSION = `
  SET bytea_output = hex;
  SET extra_float_digits = 1;
  SET array_nulls = on;
  SET default_transaction_isolation = 'read committed';
  SET plan_cache_mode = force_custom_plan`

/** Leaves a session unchanged, because other clients may share it. */
export const UNTOUCHED = { session: '' } as const

/** The settings of every connection to a store. */
export function clientSettings(url: string): ClientSettings {
  const { connectionString, ssl, isOptional } = encryptionOf(url)
  return {
    connectionString,
    ssl,
    isTlsOptional: isOptional,
    application_name: 'fleetgate',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    pipeline: true,
    types: valueParsers,
    session: SESSION,
  }
}

type Connected = (error: Error | null) => void

export class Client extends pg.Client {
  readonly #session: string

  constructor(settings: ClientSettings) {
    const connection = settings.isTlsOptional ? { connection: optionallyEncrypted(settings) } : {}
    super({ ...settings, ...connection })
    this.#session = settings.session
  }

  override connect(): Promise<Client>
  override connect(reported: Connected): void
  override connect(reported?: Connected): Promise<Client> | undefined {
    const connected = this.#begin()
    if (reported === undefined) return connected
    connected.then(() => reported(null), reported)
    return undefined
  }

  async #begin(): Promise<this> {
    await super.connect()
    // An error that breaks the connection also rejects the statement.
    const ignore = () => {}
    this.on('error', ignore)
    await this.query(this.#session).finally(() => this.off('error', ignore))
    return this
  }
}

/** The part of the driver's connection that we need to continue without TLS. */
type Connection = pg.Connection & {
  connect(port: number, host: string): void
  attachListeners(stream: Duplex): void
}

/** Continues without TLS when the server refuses it. The driver's own connection would fail. */
function optionallyEncrypted(settings: ClientSettings): Connection {
  const connection = new pg.Connection(settings) as Connection
  const connect = connection.connect.bind(connection)
  connection.connect = (port, host) => {
    connect(port, host)
    const { stream } = connection
    const [negotiate] = stream.listeners('data') as [(answer: Buffer) => void]
    stream.off('data', negotiate)
    stream.once('data', (answer: Buffer) => {
      if (answer.toString() !== 'N') return negotiate(answer)
      connection.attachListeners(stream)
      // The driver then sends the startup message, which is the same with and without TLS.
      connection.emit('sslconnect')
    })
  }
  return connection
}

/** Object ids in `pg_type`, which are fixed. */
const PARSERS: Record<number, (text: string) => unknown> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice('\\x'.length), 'hex'),
  20: wholeNumber,
  21: Number,
  23: Number,
  701: Number,
  5069: BigInt,
}

/**
 * Converts values of the store's statements: int8 to a number, like int2, int4 and float8; bool; bytea to
 * a buffer; xid8 to a bigint; others stay text. All values come as text, because the driver decodes
 * binary values as UTF-8 (8.23).
 */
const valueParsers = {
  getTypeParser: (type: number) => PARSERS[type] ?? String,
} as pg.CustomTypesConfig

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new TypeError(`${text} is too large for a number`)
  return number
}

/** Opens a connection, does the work on it, and closes it. Rejects with `StoreUnavailable`. */
export async function onOwnConnection<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  settings: Partial<ClientSettings> = {},
): Promise<T> {
  const client = new Client({ ...clientSettings(url), ...settings })
  // An error that breaks the connection also rejects the running query.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw asUnavailable(error)
  } finally {
    await client.end().catch(() => {})
  }
}
