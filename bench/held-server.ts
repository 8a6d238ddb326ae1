/** A bare `node:http` server that answers each request with the head of a stream and holds the connection. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  response.write('retry: 2000\n\n')
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
