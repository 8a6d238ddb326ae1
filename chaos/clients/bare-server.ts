import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The bare `node:http` server that Fleetgate's memory is compared with: it sends the answer of a ping. */
const BODY = '{"statusCode":200,"result":{"status":"ok"}}'

const server = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': BODY.length,
  })
  response.end(BODY)
})
server.listen(0, '127.0.0.1', 16_384, () => process.send!((server.address() as AddressInfo).port))
