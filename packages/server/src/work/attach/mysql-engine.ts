import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { CONNECT_MS, type Engine, isNetworkError, QUESTION_MS } from './engine.ts'

const AWAY = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
  'ER_NEW_ABORTING_CONNECTION',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_QUERY_INTERRUPTED',
  'ER_QUERY_TIMEOUT',
])

/** `ER_STATEMENT_TIMEOUT` of MariaDB, whose name the driver does not know. */
const STATEMENT_TIMEOUT = 1969

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
    schema: 'DATABASE()',
    moment: (column) => `CAST(${column} AS CHAR)`,
    day: (column) => `CAST(DATE(${column}) AS CHAR)`,
    flag: (column) => `${column} + 0`,
  },
  async connect({ host, port, user, password, database, tls }) {
    const client = await createConnection({
      ...{ host, user, password, database, port: port ?? 3306 },
      // Without `verifyIdentity` the driver takes a valid certificate of any host.
      ...(tls && { ssl: { ...tls, verifyIdentity: tls.rejectUnauthorized } }),
      connectTimeout: CONNECT_MS,
      charset: 'utf8mb4',
      dateStrings: true,
      enableKeepAlive: true,
    })
    // The question under way is rejected too.
    client.on('error', () => undefined)
    await client.query('SET SESSION TRANSACTION READ ONLY')
    const [[server]] = await client.query<RowDataPacket[]>('SELECT VERSION() AS version')
    const isMariadb = /mariadb/i.test(server!.version)
    await client.query(
      isMariadb
        ? `SET SESSION max_statement_time = ${QUESTION_MS / 1000}`
        : `SET SESSION max_execution_time = ${QUESTION_MS}`,
    )
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
  isAway(error) {
    if (isNetworkError(error) || AWAY.has(error.code ?? '')) return true
    // A connection that has ended while nothing was asked has no code.
    const isEnded = error.fatal === true && error.code === undefined
    return isEnded || error.errno === STATEMENT_TIMEOUT
  },
}
