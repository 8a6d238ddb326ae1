/**
 * Platformatic DB on the table `history`, with production settings: it logs requests, and unused features
 * (GraphQL, the reference page) are off. Arguments: the database's URL, and the greatest `limit`.
 */
import { tmpdir } from 'node:os'

const [database, greatestLimit] = process.argv.slice(2) as [string, string]

// A dependency of this folder only: the type check of the repository runs without it.
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
