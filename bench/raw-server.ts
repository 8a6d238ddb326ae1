import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CapturedAnswer } from './captured-answer.ts'

/** A text body up to this size is sent faster as a string, in one write with its headers. */
const TEXT_BYTES = 16_384

/**
 * The bare `node:http` server that Fleetgate is compared with: it answers every request with the answer in the
 * file of its first argument.
 */
const answer: CapturedAnswer = JSON.parse(readFileSync(process.argv[2]!, 'utf8'))
const { status, headers } = answer
const bytes = Buffer.from(answer.bodyBase64, 'base64')
const isText = !headers.some((name) => name.toLowerCase() === 'content-encoding')
const body = isText && bytes.length <= TEXT_BYTES ? bytes.toString() : bytes

const server = createServer((_request, response) => {
  response.writeHead(status, headers)
  response.end(body)
})
// As in Fleetgate: a connection outlasts the rounds of the other server.
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
