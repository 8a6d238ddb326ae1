import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { listening } from './http-connections.ts'
import { refuseInput } from './socket-answer.ts'

/** Answers wait here until a test releases them. */
const responses: ServerResponse[] = []
const server = createServer((_request, response) => {
  responses.push(response)
})
server.on('clientError', (error, socket: Socket) => {
  const log = { unreadable: () => undefined }
  refuseInput(error, socket, log, () => ({ status: 400, headers: [], body: 'broken' }))
})
const { port } = await listening(server, 0, '127.0.0.1')
after(() => server.close())

const SOUND = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'

/** Sends bytes, releases the answers in the given order after the server has refused, and returns all. */
async function answersTo(bytes: string, ...order: number[]): Promise<string> {
  responses.length = 0
  const socket = connect(port, '127.0.0.1')
  const refused = once(server, 'clientError')
  socket.write(bytes)
  await refused
  for (const i of order) responses[i]!.end(`answer ${i}`)
  const all = await text(socket)
  return [...all.matchAll(/answer \d|broken/g)].join()
}

describe('An answer to a broken request', () => {
  it('is sent at once if no other is pending', async () => {
    assert.equal(await answersTo('\0\r\n\r\n'), 'broken')
  })

  it('follows the answers to earlier requests, in any order of completion', async () => {
    assert.equal(await answersTo(`${SOUND}\0\r\n\r\n`, 0), 'answer 0,broken')
    assert.equal(await answersTo(`${SOUND}${SOUND}\0\r\n\r\n`, 1, 0), 'answer 0,answer 1,broken')
  })

  it('replaces the answer to the request with the broken body', async () => {
    assert.equal(await answersTo(`${CHUNKED}zz\r\n`), 'broken')
    assert.equal(await answersTo(`${SOUND}${CHUNKED}zz\r\n`, 0), 'answer 0,broken')
  })

  it('is not sent after an answer that closes the connection', async () => {
    const last = SOUND.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    assert.equal(await answersTo(`${last}\0\r\n\r\n`, 0), 'answer 0')
  })
})
