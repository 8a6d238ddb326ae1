/**
 * Platformatic DB over the table `history`, with the settings of a server that is used: requests are
 * logged, and what is not asked for (GraphQL, the reference page of tables that it has no part in) is
 * off. Arguments: the database's URL, and the greatest `limit`.
 */
import { tmpdir } from 'node:os'

const [database, greatestLimit] = process.argv.slice(2) as [string, string]

// A dependency of this folder alone: the repository's type check runs without it.
const PACKAGE: string = '@platformatic/db'
const { create } = await import(PACKAGE)

const server = await create(tmpdir(), {
  server: { hostname: '127.0.0.1', port: 0, logger: { level: 'info' } },
  db: {
    connectionString: database,
    graphql: false,
    events: false,
    include: { history: true },
    limit: { default: 100, max: Number(greatestLimit) },
  },
})
const url: string = await server.start({ listen: true })
process.send!(Number(new URL(url).port))
