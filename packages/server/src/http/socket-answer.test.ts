import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { listening } from './listening.ts'
import { answerSocket, whenAnswerable } from './socket-answer.ts'

/** Answers of requests wait here until a test lets them go. */
const responses: ServerResponse[] = []
const server = createServer((_request, response) => {
  responses.push(response)
})
server.on('clientError', (error, socket: Socket) => {
  whenAnswerable(error, socket, () => answerSocket(socket, 400, [], 'broken'))
})
const { port } = await listening(server, 0, '127.0.0.1')
after(() => server.close())

const SOUND = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const CHUNKED = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'

/** Sends bytes, lets the answers go in the order given once the server has refused, returns all. */
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
  it('comes at once where nothing is before it', async () => {
    assert.equal(await answersTo('\0\r\n\r\n'), 'broken')
  })

  it('comes after those to the requests before it, whichever is ready first', async () => {
    assert.equal(await answersTo(`${SOUND}\0\r\n\r\n`, 0), 'answer 0,broken')
    assert.equal(await answersTo(`${SOUND}${SOUND}\0\r\n\r\n`, 1, 0), 'answer 0,answer 1,broken')
  })

  it('stands in for the one to the request whose body is broken', async () => {
    assert.equal(await answersTo(`${CHUNKED}zz\r\n`), 'broken')
    assert.equal(await answersTo(`${SOUND}${CHUNKED}zz\r\n`, 0), 'answer 0,broken')
  })

  it('does not come after an answer that ends the connection', async () => {
    const last = SOUND.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    assert.equal(await answersTo(`${last}\0\r\n\r\n`, 0), 'answer 0')
  })
})
