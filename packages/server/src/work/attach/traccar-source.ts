import { isIP } from 'node:net'
import { waitUnlessAborted } from '../../engine/repeat.ts'
import type { Address, Connection, Dialect, DriverError, Engine } from './engine.ts'

/*
 * The database of a Traccar server, which is only read. A connection that ends is opened again, and its question is
 * asked again: nothing that a reader sees depends on the connection.
 */

/** The database cannot be reached at present. Nothing is known about what it holds. */
export class SourceAway extends Error {
  override name = 'SourceAway'
}

/** The URL names no Traccar that can be attached. */
export class NoTraccar extends Error {
  override name = 'NoTraccar'
}

export type TraccarSource = {
  readonly engine: string
  readonly dialect: Dialect
  rows<Row extends object>(statement: string, values?: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

const ENGINES: Readonly<Record<string, () => Promise<Engine>>> = {
  postgres: async () => (await import('./postgres-engine.ts')).postgresEngine,
  postgresql: async () => (await import('./postgres-engine.ts')).postgresEngine,
  mysql: async () => (await import('./mysql-engine.ts')).mysqlEngine,
  mariadb: async () => (await import('./mysql-engine.ts')).mysqlEngine,
}

const H2 =
  'H2 is the database for trying Traccar out: only one process can open its file. Move Traccar to PostgreSQL, MySQL or MariaDB first (https://www.traccar.org/mysql/), or import its exports'

/** `mysql://user:password@host:3306/traccar`, also as Traccar has it: `jdbc:mysql://…`. Throws `NoTraccar`. */
export function addressOf(url: string): { scheme: string; address: Address } {
  const written = url.replace(/^jdbc:/, '')
  const scheme = /^([a-z0-9]+):/.exec(written)?.[1] ?? ''
  if (scheme === 'h2') throw new NoTraccar(H2)
  if (!Object.hasOwn(ENGINES, scheme) || !URL.canParse(written)) throw new NoTraccar(EXAMPLE)
  const { hostname, port, username, password, pathname, searchParams } = new URL(written)
  const database = decoded(pathname.slice(1))
  if (hostname === '' || database === '') throw new NoTraccar(EXAMPLE)
  const host = hostname.replace(/^\[|\]$/g, '')
  const tls = tlsIn(searchParams)
  // The driver of MySQL would look for the name localhost in the certificate of an address.
  const isUncheckable = scheme.startsWith('m') && isIP(host) !== 0 && tls?.rejectUnauthorized
  if (isUncheckable)
    throw new NoTraccar(
      'sslmode=verify-full requires the name of the host in the URL, not its address',
    )
  return {
    scheme,
    address: {
      host,
      port: port === '' ? undefined : Number(port),
      user: username === '' ? (searchParams.get('user') ?? '') : decoded(username),
      password: password === '' ? (searchParams.get('password') ?? '') : decoded(password),
      database,
      tls,
    },
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new NoTraccar("a % in the URL of Traccar's database must be written %25")
  }
}

/** `?sslmode=`, `?ssl=` or `?useSSL=`, in any case. What would encrypt only if possible is refused. */
function tlsIn(searchParams: URLSearchParams): Address['tls'] {
  const named = new Map([...searchParams].map(([name, value]) => [name.toLowerCase(), value]))
  const on = named.get('ssl') ?? named.get('usessl') ?? 'false'
  const byDefault = /^(?:true|1|yes)$/i.test(on) ? 'require' : 'disable'
  const mode = (named.get('sslmode') ?? byDefault).toLowerCase().replace('_', '-')
  // Also those of JDBC drivers.
  if (/^disabled?$/.test(mode)) return undefined
  if (/^(?:required?|trust)$/.test(mode)) return { rejectUnauthorized: false }
  if (/^verify-(?:ca|full|identity)$/.test(mode)) return { rejectUnauthorized: true }
  throw new NoTraccar('its sslmode must be disable, require, verify-ca or verify-full')
}

const EXAMPLE =
  'it must be a URL such as postgres://user:password@host:5432/traccar or mysql://user:password@host:3306/traccar'

/** Pauses between attempts to reach the database again. The last one repeats. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

export type Patience = {
  /** How long to wait for a database that is away. */
  waitMs: number
  /** Gets why it is away, at each attempt. */
  warn(problem: string): void
  signal: AbortSignal
}

/** Opens the database at a URL. Rejects with `NoTraccar` or `SourceAway`. */
export async function openTraccar(url: string, patience: Patience): Promise<TraccarSource> {
  const { scheme, address } = addressOf(url)
  const engine = await ENGINES[scheme]!()
  const { warn, signal } = patience
  let connection: Connection | undefined

  async function drop(): Promise<void> {
    const dropped = connection
    connection = undefined
    await dropped?.close().catch(() => undefined)
  }

  async function attempt(statement: string, values: readonly unknown[]): Promise<object[]> {
    connection ??= await engine.connect(address)
    return connection.rows(statement, values)
  }

  async function rows(statement: string, values: readonly unknown[] = []): Promise<object[]> {
    const giveUpAt = performance.now() + patience.waitMs
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted()
      try {
        return await attempt(statement, values)
      } catch (error) {
        await drop()
        const problem = problemOf(error as DriverError)
        if (!engine.isAway(error as DriverError)) {
          throw new NoTraccar(`cannot read Traccar's database: ${problem}`, { cause: error })
        }
        const pause = PAUSES_MS[tries] ?? PAUSES_MS.at(-1)!
        const away = `Traccar's database at ${address.host} cannot be reached: ${problem}`
        if (performance.now() + pause > giveUpAt) throw new SourceAway(away, { cause: error })
        warn(`${away}. Trying again in ${pause / 1000} s; what is stored here stays as it is`)
        await waitUnlessAborted(pause, signal)
      }
    }
  }

  await rows('SELECT 1')
  return {
    engine: engine.name,
    dialect: engine.dialect,
    rows: rows as TraccarSource['rows'],
    close: drop,
  }
}

/** A refused connection to several addresses of a name has its messages inside. */
function problemOf(error: DriverError): string {
  if (error.message !== '') return error.message
  const [first] = (error as { errors?: Error[] }).errors ?? []
  return first?.message ?? error.code ?? error.name
}
