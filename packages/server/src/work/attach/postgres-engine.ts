import pg from 'pg'
import { CONNECT_MS, type Engine, isNetworkError, QUESTION_MS } from './engine.ts'

/** Values stay as PostgreSQL writes them, but for numbers: moments have no time zone. */
const types = {
  getTypeParser(oid: number): (text: string) => unknown {
    return NUMBERS.includes(oid) ? Number : String
  },
}

/** `int8`, `int2`, `int4`, `float4`, `float8`. */
const NUMBERS = [20, 21, 23, 700, 701]

/** Moments in one form, and nothing is written. A time with a zone is shown in UTC. */
const SESSION = [
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  ...["SET datestyle = 'ISO'", "SET timezone = 'UTC'", `SET statement_timeout = ${QUESTION_MS}`],
].join('; ')

/** Codes of a lost connection, a server that ends or is full, a conflict, a canceled question and a held lock. */
const AWAY = /^(?:08|57P|53|40001$|57014$|55P03$)/

export const postgresEngine: Engine = {
  name: 'PostgreSQL',
  dialect: {
    schema: 'current_schema()',
    moment: (column) => `${column}::text`,
    day: (column) => `${column}::date::text`,
    flag: (column) => `${column}::int`,
  },
  async connect({ host, port, user, password, database, tls }) {
    const client = new pg.Client({
      ...{ host, port, user, password, database, types },
      ...(tls && { ssl: tls }),
      application_name: 'fleetgate attach',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUESTION_MS,
      keepAlive: true,
    })
    // The question under way is rejected too.
    client.on('error', () => undefined)
    await client.connect()
    await client.query(SESSION)
    return {
      async rows(statement, values) {
        const [first, ...others] = statement.split('?')
        const text = others.reduce((all, part, index) => `${all}$${index + 1}${part}`, first!)
        return (await client.query(text, [...values])).rows
      },
      close: () => client.end(),
    }
  },
  isAway(error) {
    const { code = '', message } = error
    if (isNetworkError(error)) return true
    if (AWAY.test(code)) return true
    return code === '' && /terminated|timeout|not queryable/i.test(message)
  },
}
