import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { certificate, hasOpenssl } from '../harness/certificate.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { serve } from '../harness/server.ts'

const skip = hasOpenssl ? false : 'openssl is not installed'
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const TYPE = { data: 0, headers: 1, reset: 3, settings: 4 } as const
const END_STREAM_AND_HEADERS = 0x5
const PROTOCOL_ERROR = 1
const NO_ERROR = 0

type Frame = { type: number; payload: Buffer }

/** RFC 9113, 4.1. */
function frameOf(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A field as it is, neither indexed nor Huffman-coded (RFC 7541, 6.2.2); at most 126 bytes each. */
function fieldOf(name: string, value: string): Buffer {
  const text = (written: string) => [written.length, ...Buffer.from(written, 'latin1')]
  return Buffer.from([0, ...text(name), ...text(value)])
}

/** Writes a request that no HTTP/2 client would, and reads until the stream ends. */
function ask(port: number, path: string, ...more: [name: string, value: string][]) {
  const pseudo: [string, string][] = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', path],
    [':authority', 'localhost'],
  ]
  const block = Buffer.concat([...pseudo, ...more].map(([name, value]) => fieldOf(name, value)))
  const settings = frameOf(TYPE.settings, 0, 0, Buffer.alloc(0))
  const request = frameOf(TYPE.headers, END_STREAM_AND_HEADERS, 1, block)
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] }
  return new Promise<{ reset: number; body: string }>((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    let body = ''
    const socket = connect(options, () => socket.write(Buffer.concat([PREFACE, settings, request])))
    const end = (reset: number) => {
      socket.destroy()
      resolve({ reset, body })
    }
    const take = ({ type, payload }: Frame, flags: number) => {
      if (type === TYPE.reset) return end(payload.readUInt32BE(0))
      if (type === TYPE.data) body += payload
      if (type === TYPE.data && (flags & 1) === 1) end(NO_ERROR)
    }
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed without an answer')))
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
        const length = bytes.readUIntBE(0, 3)
        const [type, flags] = [bytes[3]!, bytes[4]!]
        const payload = bytes.subarray(9, 9 + length)
        bytes = bytes.subarray(9 + length)
        take({ type, payload }, flags)
      }
    })
  })
}

describe('Fields of HTTP/2', { skip }, async () => {
  if (!hasOpenssl) return
  const deployment = await newDeployment()
  const server = await serve(deployment, certificate().args)
  after(() => server.stop())
  const ping = '/public/v1/ping'

  it('that belong to a connection of HTTP/1 end the request unanswered', async () => {
    const { body } = await ask(server.port, ping, ['x-harmless', '1'])
    assert.match(body, /"ok"/)
    const wrong: [string, string][] = [
      ['connection', 'close'],
      ['transfer-encoding', 'chunked'],
      ['keep-alive', '1'],
      ['upgrade', 'h2c'],
    ]
    for (const field of wrong) {
      const answer = await ask(server.port, ping, field)
      assert.deepEqual(answer, { reset: PROTOCOL_ERROR, body: '' }, field[0])
    }
  })

  it('that ask for a tunnel are refused like any that name no path', async () => {
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false })
    const tunnel = session.request({ ':method': 'CONNECT', ':authority': 'elsewhere:443' })
    const [headers] = await once(tunnel, 'response')
    assert.equal(headers[':status'], 404)
    assert.equal(JSON.parse(await text(tunnel)).errorCode, 'ERR999')
    session.close()
    assert.match((await ask(server.port, ping)).body, /"ok"/)
  })

  it('are of a hundred requests at once, no more', async () => {
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false })
    await once(session, 'remoteSettings')
    assert.equal(session.remoteSettings.maxConcurrentStreams, 100)
    session.close()
  })

  it('with a CR or LF never arrive', async () => {
    const languageOf = async (accepted: string) => {
      const { body } = await ask(server.port, '/public/v1/none', ['accept-language', accepted])
      return JSON.parse(body).message
    }
    const [english, german] = [await languageOf('en'), await languageOf('de,x')]
    assert.notEqual(german, english)
    for (const broken of ['de,\r\nx', 'de,\nx', 'de,\rx', 'de,\0x']) {
      assert.equal(await languageOf(broken), english, JSON.stringify(broken))
    }
  })
})
