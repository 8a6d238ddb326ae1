import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Fleets } from './fleets.ts'
import { mcpServer } from './mcp-server.ts'

export type HttpOptions = {
  /** 0: any free port. */
  port: number
  /** The names under which browsers and clients reach the server, in addition to the loopback. */
  hosts: readonly string[]
}

type Serving = HttpOptions & {
  /** Null: each request brings its own key. */
  key: string | null
  fleets: Fleets
}

const PATH = '/mcp'
const LOOPBACK = '127.0.0.1'
const LOCAL_NAMES = ['localhost', LOOPBACK, '[::1]']
const BEARER = /^Bearer +(\S+)$/i
const UNAUTHORIZED = 401
const NOT_FOUND = 404

/** Serves streamable HTTP at `/mcp` on the loopback. Resolves when it listens. */
export async function serveHttp({
  port,
  hosts,
  key,
  fleets,
}: Serving): Promise<{ url: string; close(): Promise<void> }> {
  const names = [...LOCAL_NAMES, ...hosts]
  const hasOwnHost = hostHeaderValidation(names)
  const hasOwnOrigin = originValidation(names)
  const handler = createMcpHandler(({ requestInfo }) =>
    mcpServer(fleets(key ?? keyIn(requestInfo!.headers.get('authorization'))!)),
  )
  const handle = toNodeHandler(handler)
  const server = createServer((request, response) => {
    // The guards answer a request that they refuse: a page of another site must not reach a local server.
    if (!hasOwnHost(request, response) || !hasOwnOrigin(request, response)) return
    if (request.url?.split('?')[0] !== PATH) {
      response.writeHead(NOT_FOUND).end()
    } else if (key === null && keyIn(request.headers.authorization) === undefined) {
      response.writeHead(UNAUTHORIZED, { 'www-authenticate': 'Bearer' }).end()
    } else void handle(request, response)
  })
  server.listen(port, LOOPBACK)
  await once(server, 'listening')
  const { port: listening } = server.address() as AddressInfo
  return {
    url: `http://${LOOPBACK}:${listening}${PATH}`,
    async close() {
      await handler.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The API key in an `Authorization` header. */
function keyIn(header: string | null | undefined): string | undefined {
  return BEARER.exec(header ?? '')?.[1]
}
