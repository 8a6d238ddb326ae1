import { createConnection } from 'mysql2/promise'
import { CONNECT_MS, type Engine, isNetworkError, QUESTION_MS } from './engine.ts'

const AWAY = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
  'ER_NEW_ABORTING_CONNECTION',
])

class NoAnswer extends Error {
  readonly code = 'ETIMEDOUT'
  override message = `no answer within ${QUESTION_MS / 1000} s`
}

/**
 * MySQL and MariaDB. The time zone of the session stays that of the server: Traccar's driver writes UTC into it, so it
 * also shows UTC.
 */
export const mysqlEngine: Engine = {
  name: 'MySQL or MariaDB',
  dialect: {
    moment: (column) => `CAST(${column} AS CHAR)`,
    day: (column) => `CAST(DATE(${column}) AS CHAR)`,
    flag: (column) => `${column} + 0`,
  },
  async connect({ host, port, user, password, database, tls }) {
    const client = await createConnection({
      ...{ host, user, password, database, port: port ?? 3306 },
      ...(tls && { ssl: tls }),
      connectTimeout: CONNECT_MS,
      charset: 'utf8mb4',
      dateStrings: true,
      enableKeepAlive: true,
    })
    // The question under way is rejected too.
    client.on('error', () => undefined)
    await client.query('SET SESSION TRANSACTION READ ONLY')
    return {
      async rows(sql, values) {
        // The driver's own timer would outlive a connection that is lost.
        const late = Promise.withResolvers<never>()
        const timer = setTimeout(() => late.reject(new NoAnswer()), QUESTION_MS)
        const asked = client.query(sql, [...values])
        const [rows] = await Promise.race([asked, late.promise]).finally(() => clearTimeout(timer))
        return rows as object[]
      },
      // `end` waits for an answer, which a server that is away does not give.
      close: async () => client.destroy(),
    }
  },
  isAway: (error) => isNetworkError(error) || AWAY.has(error.code ?? ''),
}
