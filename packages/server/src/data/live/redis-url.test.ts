import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkForServing, nameOf, parseRedisUrl } from './redis-url.ts'

const plain = { username: undefined, password: undefined, database: 0, tls: false, timeoutMs: 100 }

describe('The URL of a Redis', () => {
  it('names one server, or several of a Cluster', () => {
    const [one, two] = [
      { host: 'a.example', port: 6379 },
      { host: '10.0.0.2', port: 7000 },
    ]
    assert.deepEqual(parseRedisUrl('redis://a.example'), { ...plain, addresses: [one] })
    const several = parseRedisUrl('redis://a.example,10.0.0.2:7000/')
    assert.deepEqual(several, { ...plain, addresses: [one, two] })
    const six = parseRedisUrl('redis://[::1]:6380')
    assert.deepEqual(six, { ...plain, addresses: [{ host: '::1', port: 6380 }] })
  })

  it('may contain the user, the database, and TLS', () => {
    const addresses = [{ host: 'h', port: 1 }]
    assert.deepEqual(parseRedisUrl('rediss://me:p%40ss@h:1/3'), {
      ...{ addresses, username: 'me', password: 'p@ss', database: 3, tls: true, timeoutMs: 100 },
    })
    assert.deepEqual(parseRedisUrl('redis://:secret@h:1'), {
      ...{ ...plain, addresses, password: 'secret' },
    })
  })

  it('may contain the answer timeout, which is 100 ms by default', () => {
    const addresses = [{ host: 'h', port: 1 }]
    for (const [text, timeoutMs] of [
      ['redis://h:1?timeout=250', 250],
      ['redis://h:1/?timeout=10', 10],
      ['redis://h:1/0?timeout=99999', 99_999],
      ['redis://h:1', 100],
    ] as const) {
      assert.deepEqual(parseRedisUrl(text), { ...plain, addresses, timeoutMs }, text)
    }
  })

  it('has no other form', () => {
    const others = [
      '',
      'h:1',
      'http://h',
      'redis://',
      'redis://h:x',
      'redis://h:70000',
      'redis://h,',
    ]
    const odd = [
      'redis://h?timeout=9',
      'redis://h?timeout=',
      'redis://h?time=100',
      'redis://h/x',
      'redis://%zz:%zz@h',
      'redis://[::1',
      'redis://h/1/2',
    ]
    for (const other of [...others, ...odd]) assert.equal(parseRedisUrl(other), null, other)
  })

  it('is parsed exactly, with any password', () => {
    const anyHost = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6())
    const anyAddress = fc.record(
      { host: anyHost, port: fc.integer({ min: 1, max: 65_535 }) },
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(
        fc.array(anyAddress, { minLength: 1, maxLength: 4 }),
        fc.string({ minLength: 1, unit: 'grapheme' }),
        (addresses, password) => {
          const hosts = addresses.map(nameOf).join(',')
          const read = parseRedisUrl(`redis://:${encodeURIComponent(password)}@${hosts}`)
          assert.deepEqual(read, { ...plain, addresses, password })
        },
      ),
    )
  })
})

for (const [url, expected] of [
  ['redis://127.0.0.1:6379', []],
  ['rediss://192.0.2.1:6379', []],
  ['redis://no-such-host.invalid:6379', []],
  ['redis://192.0.2.1:6379', [/^the connection to Redis at 192\.0\.2\.1 is not encrypted/]],
] as const) {
  it(`${expected.length === 0 ? 'says nothing of' : 'warns of'} ${url}`, async () => {
    const warnings = await checkForServing(parseRedisUrl(url)!)
    assert.equal(warnings.length, expected.length)
    for (const [index, warning] of warnings.entries()) assert.match(warning, expected[index]!)
  })
}
