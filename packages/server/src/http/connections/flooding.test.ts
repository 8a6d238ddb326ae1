import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { listening } from '../listening.ts'
import { cutFlood } from './flooding.ts'

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

/** A server that handles requests so, and a client of it. */
async function connectedTo(handle: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => handle(response))
  const { port } = await listening(server, 0, '127.0.0.1')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, socket: connect(port, '127.0.0.1').on('error', () => {}) }
}

/** The answers to a client that sends this many requests at once, and as many again after the answers. */
async function answersTo(requests: number): Promise<number[]> {
  const { socket } = await connectedTo((response) => {
    if (!cutFlood(response)) response.end()
  })
  const rounds: number[] = []
  socket.on('close', () => rounds.push(0))
  while (rounds.length < 2) {
    socket.write(REQUEST.repeat(requests))
    let text = ''
    while (!socket.destroyed && text.split('HTTP/1.1 200 ').length <= requests) {
      const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
      text += chunk
    }
    if (socket.destroyed) break
    rounds.push(requests)
  }
  socket.destroy()
  return rounds
}

describe('Pipelined requests of a connection', { timeout: 10_000 }, () => {
  it('are answered up to 32, repeatedly', async () => {
    assert.deepEqual(await answersTo(32), [32, 32])
  })

  it('close it beyond that number', async () => {
    assert.deepEqual(await answersTo(33), [0])
  })

  it('are ignored after it has closed', async () => {
    let seen = 0
    const { socket } = await connectedTo((response) => {
      seen += 1
      cutFlood(response)
    })
    socket.write(REQUEST.repeat(1_000))
    await once(socket, 'close')
    assert.equal(seen, 33)
  })
})

describe('Requests that wait behind an answer', { timeout: 10_000 }, () => {
  /**
   * The number of a client's single requests that are accepted before the connection closes; the first is not
   * answered.
   */
  async function takenOf(request: string, sent: number): Promise<number> {
    let taken = 0
    const { server, socket } = await connectedTo((response) => {
      if (cutFlood(response)) return
      taken += 1
      if (taken > 1) response.end()
    })
    for (let each = 0; each < sent; each += 1) {
      socket.write(request)
      await once(server, 'request')
      if (taken <= each) break
    }
    socket.destroy()
    return taken
  }

  it('are limited like pipelined ones', async () => {
    assert.equal(await takenOf(REQUEST, 40), 1 + 32)
  })

  it('have heads of 64 KiB in total', async () => {
    const large = `GET / HTTP/1.1\r\nHost: a\r\nx: ${'a'.repeat(15_000)}\r\n\r\n`
    assert.equal(await takenOf(large, 10), 1 + 4)
  })
})
