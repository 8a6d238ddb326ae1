import type { Duplex } from 'node:stream'
import pg from 'pg'
import { encryptionOf } from './sslmode.ts'
import { valueParsers } from './value-parsers.ts'

const CONNECT_MS = 3_000

export type ClientSettings = pg.ClientConfig & {
  /** Whether to connect to a server without TLS too, which the driver does not know. */
  isTlsOptional: boolean
  /** The first statements of a session. */
  session: string
}

/**
 * The settings that every session relies on, whatever the server, its database, the role or the URL say:
 * values are read exactly, as text; statements wait for each other's rows and then read their newest
 * state; and there are no generic plans, which would lock every partition of the positions. They are set
 * by statements, because a pooler may drop startup parameters.
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

type Told = (error: Error | null) => void

export class Client extends pg.Client {
  readonly #session: string

  constructor(settings: ClientSettings) {
    const connection = settings.isTlsOptional ? { connection: optionallyEncrypted(settings) } : {}
    super({ ...settings, ...connection })
    this.#session = settings.session
  }

  override connect(): Promise<Client>
  override connect(told: Told): void
  override connect(told?: Told): Promise<Client> | undefined {
    const connected = this.#begin()
    if (told === undefined) return connected
    connected.then(() => told(null), told)
    return undefined
  }

  async #begin(): Promise<this> {
    await super.connect()
    // The statement gets the error that breaks the connection.
    const ignore = () => {}
    this.on('error', ignore)
    await this.query(this.#session).finally(() => this.off('error', ignore))
    return this
  }
}

/** The part of the driver's connection that is needed to go on without TLS. */
type Connection = pg.Connection & {
  connect(port: number, host: string): void
  attachListeners(stream: Duplex): void
}

/** Accepts a server's refusal of TLS, where the driver's own connection fails. */
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
      // Makes the driver send the startup message, which is the same with and without TLS.
      connection.emit('sslconnect')
    })
  }
  return connection
}
