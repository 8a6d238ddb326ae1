import type { Duplex } from 'node:stream'
import pg from 'pg'
import { encryptionOf } from './sslmode.ts'
import { valueParsers } from './value-parsers.ts'

const CONNECT_MS = 3_000

export type ClientSettings = pg.ClientConfig & {
  /** Whether a server without TLS is connected to all the same, which the driver does not know. */
  isTlsOptional: boolean
}

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
    // A plan for whatever values would have to lock every partition of the positions.
    options: '-c plan_cache_mode=force_custom_plan',
  }
}

export class Client extends pg.Client {
  constructor(settings: ClientSettings) {
    const connection = settings.isTlsOptional ? { connection: optionallyEncrypted(settings) } : {}
    super({ ...settings, ...connection })
  }
}

/** As much of the driver's connection as it takes to go on without TLS. */
type Connection = pg.Connection & {
  connect(port: number, host: string): void
  attachListeners(stream: Duplex): void
}

/** Takes a server's "no TLS" for an answer, where the driver's own connection fails. */
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
