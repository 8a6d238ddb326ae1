import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { assertCheap } from '../../../testing/linear.ts'
import { listening } from '../../base/http/http-connections.ts'
import {
  type ApiRequest,
  decodedOrUndefined,
  isSoundlyEncoded,
  parseQuery,
  readRequest,
} from './request.ts'

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
  return readRequest(message, 0)
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

const entries = (search: string) => [...parseQuery(search)]

describe('A query', () => {
  it('has each parameter with every value, in order', () => {
    assert.deepEqual(entries(''), [])
    assert.deepEqual(entries('a=1'), [['a', ['1']]])
    assert.deepEqual(entries('a=1&b=2&a=3'), [
      ['a', ['1', '3']],
      ['b', ['2']],
    ])
    assert.deepEqual(entries('&&a=1&'), [['a', ['1']]])
  })

  it('distinguishes an empty value from an absent parameter', () => {
    assert.deepEqual(entries('a'), [['a', ['']]])
    assert.deepEqual(entries('a='), [['a', ['']]])
    assert.deepEqual(entries('=1'), [['', ['1']]])
    assert.equal(parseQuery('a=').get('b'), undefined)
  })

  it('splits at the first equals sign only', () => {
    assert.deepEqual(entries('a=b=c'), [['a', ['b=c']]])
    assert.deepEqual(entries('a%3Db=c'), [['a=b', ['c']]])
    assert.deepEqual(entries('a=b%26c'), [['a', ['b&c']]])
  })

  it('reads a plus as a space and an escaped one as itself', () => {
    assert.deepEqual(entries('t=12:00+02:00&u=12:00%2B02:00'), [
      ['t', ['12:00 02:00']],
      ['u', ['12:00+02:00']],
    ])
  })

  it('keeps broken percent-encoding unchanged', () => {
    assert.deepEqual(entries('a=%&b=%zz&c=%ff&d=%E0%A4'), [
      ['a', ['%']],
      ['b', ['%zz']],
      ['c', ['%ff']],
      ['d', ['%E0%A4']],
    ])
  })

  it('costs as much if it is broken as if it is sound', () => {
    const parsing = (part: string) => {
      const search = part.repeat(28_000 / part.length)
      return () => parseQuery(search)
    }
    for (const broken of ['%&', '%=%&', '%80&', '%80=%C0%AF&']) {
      assertCheap(parsing(broken), parsing('%41=%C3%AF&'), 5)
    }
  })

  it('treats names of built-in properties as ordinary names', () => {
    assert.deepEqual(entries('__proto__=1&constructor=2'), [
      ['__proto__', ['1']],
      ['constructor', ['2']],
    ])
  })

  it('parses the output of URLSearchParams', () => {
    const pairs = fc.array(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
    )
    fc.assert(
      fc.property(pairs, (list) => {
        const expected = new Map<string, string[]>()
        for (const [name, value] of list) expected.set(name, [...(expected.get(name) ?? []), value])
        assert.deepEqual(parseQuery(new URLSearchParams(list).toString()), expected)
      }),
    )
  })
})

describe('Percent-encoding', () => {
  it('is valid if it encodes whole octets of UTF-8', () => {
    for (const text of ['', '/a', '/%41', '/%C3%A9', '/%F0%9F%9A%9A', '/%00']) {
      assert.ok(isSoundlyEncoded(text), text)
    }
    for (const text of ['%', '/%4', '/%zz', '/%ff', '/%C3', '/%C3%28', '/%ED%A0%80', '/%C0%AF']) {
      assert.ok(!isSoundlyEncoded(text), text)
      assert.equal(decodedOrUndefined(text), undefined)
    }
    assert.equal(decodedOrUndefined('%F0%9F%9A%9A'), '🚚')
  })

  it('is valid if JavaScript can decode it', () => {
    const octet = fc
      .integer({ min: 0, max: 255 })
      .map((value) => `%${value.toString(16).padStart(2, '0')}`)
    const whole = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }).map((text) => {
      return encodeURIComponent(text.toWellFormed())
    })
    const part = fc.oneof(
      octet,
      octet.map((text) => text.toUpperCase()),
      whole,
      fc.constantFrom('%', 'a', 'é', '%4'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const text = parts.join('')
        let expected: string | undefined
        try {
          expected = decodeURIComponent(text)
        } catch {}
        assert.equal(decodedOrUndefined(text), expected)
      }),
      { numRuns: 2_000 },
    )
  })
})
