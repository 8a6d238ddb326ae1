import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CapturedAnswer } from './captured-answer.ts'

/** Up to so many bytes a body that is text is sent faster as a string: in one write with its headers. */
const TEXT_BYTES = 16_384

/**
 * The bare `node:http` server that Fleetgate is held against: it gives every request the answer in
 * the file named by its first argument, and does nothing else.
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
// As Fleetgate does: a connection outlasts the rounds in which others are asked.
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
