import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CapturedAnswer } from './captured-answer.ts'

/**
 * The bare `node:http` server that Fleetgate is held against: it gives every request the answer in
 * the file named by its first argument, and does nothing else.
 */
const { headers, body }: CapturedAnswer = JSON.parse(readFileSync(process.argv[2]!, 'utf8'))

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
