import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { listening } from '../../http/listening.ts'
import { type ApiRequest, readRequest } from './request.ts'

const server = createServer({ requireHostHeader: false, joinDuplicateHeaders: false })
const { port } = await listening(server, 0, '127.0.0.1')
after(() => server.close())

/** The parsed request after sending exactly these bytes. */
async function sent(...lines: string[]): Promise<ApiRequest> {
  const socket = connect(port, '127.0.0.1')
  const received = once(server, 'request') as Promise<[IncomingMessage]>
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [message] = await received
  socket.destroy()
  return readRequest(message)
}

const get = (target: string, ...headers: string[]) =>
  sent(`GET ${target} HTTP/1.1`, 'Host: a', ...headers)

describe('A request', () => {
  it('has every key that it was sent with', async () => {
    const two = await get('/', 'X-API-Key: a', 'x-api-key: b', 'AUTHORIZATION: Bearer c')
    assert.deepEqual(two.apiKeys, ['a', 'b'])
    assert.deepEqual(two.authorizations, ['Bearer c'])
    const bearers = await get('/', 'Authorization: Bearer a', 'authorization: Bearer b')
    assert.deepEqual(bearers.authorizations, ['Bearer a', 'Bearer b'])
    const joined = await get('/', 'x-api-key: a, b')
    assert.deepEqual(joined.apiKeys, ['a, b'])
    const none = await get('/')
    assert.deepEqual([none.apiKeys, none.authorizations], [[], []])
  })

  it('joins repeated list headers', async () => {
    const request = await get(
      '/',
      'Accept-Encoding: gzip',
      'accept-encoding: br',
      'Accept-Language: de',
      'accept-language: tr',
      'If-None-Match: "a"',
      'if-none-match: "b"',
    )
    assert.equal(request.acceptEncoding, 'gzip, br')
    assert.equal(request.acceptLanguage, 'de, tr')
    assert.equal(request.ifNoneMatch, '"a", "b"')
    const bare = await get('/')
    assert.deepEqual(
      [bare.acceptEncoding, bare.acceptLanguage, bare.ifNoneMatch],
      [undefined, undefined, undefined],
    )
  })

  it('has its target without scheme and authority', async () => {
    for (const [target, origin] of [
      ['/a?b=c', '/a?b=c'],
      ['//a/b', '//a/b'],
      ['http://host/a?b=c', '/a?b=c'],
      ['HTTPS://host:1/a', '/a'],
      ['http://host', '/'],
      ['http://host?a=b', '/?a=b'],
      ['http://user@host/a', '/a'],
      ['/http://host/a', '/http://host/a'],
    ] as const) {
      assert.equal((await get(target)).target, origin, target)
    }
    assert.equal((await sent('OPTIONS * HTTP/1.1', 'Host: a')).target, '*')
  })

  it('has one Host, except in HTTP/1.0, which needs none', async () => {
    assert.equal((await get('/')).isSound, true)
    assert.equal((await sent('GET / HTTP/1.1')).isSound, false)
    assert.equal((await get('/', 'host: b')).isSound, false)
    assert.equal((await sent('GET / HTTP/1.0')).isSound, true)
    assert.equal((await sent('GET / HTTP/1.0', 'Host: a', 'Host: b')).isSound, false)
  })

  it('has a Host of valid form', async () => {
    for (const host of [
      'localhost',
      'a.b:7070',
      '[::1]:80',
      '127.0.0.1',
      'xn--bcher-kva.example',
    ]) {
      assert.equal((await sent('GET / HTTP/1.1', `Host: ${host}`)).isSound, true, host)
    }
    for (const host of ['a b/c', 'a/b', 'a:b', '[::1', 'a"b', 'a, b']) {
      assert.equal((await sent('GET / HTTP/1.1', `Host: ${host}`)).isSound, false, host)
    }
  })

  it('has a version that its request line may name', async () => {
    assert.equal((await sent('GET / HTTP/2.0', 'Host: a')).isSound, false)
    assert.equal((await sent('GET / HTTP/0.9', 'Host: a')).isSound, false)
  })

  it('reports whether it has a body', async () => {
    assert.equal((await get('/')).hasBody, false)
    assert.equal((await get('/', 'Content-Length: 0')).hasBody, false)
    assert.equal((await get('/', 'Content-Length: 5')).hasBody, true)
    assert.equal((await get('/', 'Transfer-Encoding: chunked')).hasBody, true)
  })
})
