import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type HttpAnswer, readAnswer } from './answers.ts'
import { keyedOperations, readDescription } from './description.ts'
import { expectationOf } from './expectation.ts'
import { openJudge } from './judge.ts'
import type { FuzzRequest } from './requests.ts'
import { compileRules } from './schemas.ts'
import type { Tenant } from './tenants.ts'

const description = readDescription()
const operations = keyedOperations(description)
const judge = openJudge(compileRules(description))
const tenant: Tenant = {
  organization: 1,
  key: 'k',
  deadKeys: [],
  isActive: true,
  isLimited: false,
  language: 'tr',
  objects: [
    { id: 7, fixes: 40 },
    { id: 8, fixes: 0 },
  ],
  places: { geofences: [], routes: [], sites: [3] },
}

function get(path: string, ...headers: [string, string][]): FuzzRequest {
  return {
    method: 'GET',
    target: `/public/v1${path}`,
    headers: [['x-api-key', 'k'], ...headers],
    body: '',
  }
}

const outcomesOf = (request: FuzzRequest) => expectationOf(request, operations, tenant).outcomes

describe('The expectation of the contract', () => {
  for (const { id, path } of operations) {
    it(`knows ${id}`, () => {
      assert.match(outcomesOf(get(path.replace('{id}', '7')))[0]!, /^(200|400 PUBLIC\.400_00[12])$/)
    })
  }
  const range = 'from_time=2024-05-06T08:00Z&to_time=2024-05-06T08:10:30Z'
  for (const [path, outcome] of [
    ['/objects/7', '200'],
    ['/objects/%37', '200'],
    ['/objects/9007199254740993', '404 PUBLIC.404_001'],
    ['/objects/7%27', '400 PUBLIC.400_001'],
    ['/nothing', '404 ERR999'],
    [`/objects/7/positions?${range}`, '200'],
    [`/objects/7/positions?${range}&limit=0`, '400 PUBLIC.400_001'],
    [`/objects/7/positions?${range}&limit=1&limit=1`, '400 PUBLIC.400_001'],
    [`/objects/7/positions?${range}&cursor=AAAA`, '400 PUBLIC.400_001'],
    ['/objects/7/positions?from_time=2024-05-06', '400 PUBLIC.400_002'],
    ['/objects/7/positions?from_time=2023-02-29&to_time=2024', '400 PUBLIC.400_001'],
    ['/objects/7/positions?from_time=2024-05-06T24:00Z&to_time=2024-05-07', '400 PUBLIC.400_001'],
    ['/objects/9/positions?from_time=2024-05-06&to_time=2024-05-06', '404 PUBLIC.404_001'],
    ['/positions/latest?ids=7,x', '400 PUBLIC.400_001'],
    ['/positions/latest?ids=9', '404 PUBLIC.404_001'],
    ['/positions/latest?bbox=1,2,3,4', '200'],
    ['/positions/latest?ids=all&max_age=-1', '400 PUBLIC.400_001'],
    ['/positions/at?time=2024-05-06&ids=all', '200'],
    ['/positions/at?ids=7', '400 PUBLIC.400_001'],
    [`/positions?ids=7,9&${range}&step=60`, '200'],
    [`/positions?ids=all&${range}`, '200'],
    [`/positions?ids=all,7&${range}`, '400 PUBLIC.400_001'],
    ['/objects?q=a&q=b', '400 PUBLIC.400_001'],
  ] as const) {
    it(`for ${path} is ${outcome}`, () => assert.deepEqual(outcomesOf(get(path)), [outcome]))
  }

  it('includes the content of a 200', () => {
    const contents = (path: string) => expectationOf(get(path), operations, tenant).contents
    assert.equal(contents(`/objects/7/positions?${range}`), '11 of 7 from 2024-05-06T08:00:00.000Z')
    const last = '7@2024-05-06T08:39:00.000Z'
    assert.equal(contents('/positions/latest?ids=8,007,+7,99'), `8@null,${last}`)
  })

  it('requires one key, in one header', () => {
    const twice = get('/sites', ['Authorization', 'Bearer k'])
    assert.deepEqual(outcomesOf(twice), ['401 ERR999'])
    assert.deepEqual(outcomesOf(get('/sites', ['Authorization', 'Basic x'])), ['200'])
  })
})

const RATE =
  'X-RateLimit-Limit: 10\r\nX-RateLimit-Remaining: 9\r\nX-RateLimit-Reset: 10\r\n' +
  'RateLimit-Policy: "default";q=10;w=10\r\nRateLimit: "default";r=9;t=10\r\n' +
  'X-Request-Id: 0123456789abcdef01234567\r\n'
const SITE = {
  ...{ id: 3, name: 'Depot', description: null, icon: null, latitude: 41, longitude: 2, radius: 5 },
  ...{ created_at: '2026-03-02T08:15:00.000Z', updated_at: '2026-03-02T08:15:00.000Z' },
}

function answer(status: number, body: object, headers = ''): HttpAnswer {
  const text = JSON.stringify(body)
  const all = `Content-Type: application/json; charset=utf-8\r\nContent-Language: tr\r\n${RATE}`
  const kept = `ETag: W/"x"\r\nCache-Control: private\r\nVary: Accept-Encoding\r\n`
  const head = `HTTP/1.1 ${status} Some\r\n${all}${kept}${headers}`
  const bytes = Buffer.from(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  return readAnswer(bytes, 0, false)!.answer
}

function verdict(path: string, of: HttpAnswer): string | undefined {
  const request = get(path)
  return judge(request, expectationOf(request, operations, tenant), of, tenant)?.kind
}

function refusal(errorCode: string, timestamp = new Date().toISOString()): object {
  return { statusCode: 404, errorCode, message: 'x', timestamp }
}

describe('The judge', () => {
  const sites = (...result: object[]) => verdict('/sites', answer(200, { statusCode: 200, result }))

  it('accepts a right answer', () => {
    assert.equal(sites(SITE), undefined)
    assert.equal(verdict('/objects/9', answer(404, refusal('PUBLIC.404_001'))), undefined)
  })

  it('rejects a body that violates its schema', () => {
    const kind = 'a body against the description'
    assert.equal(sites({ ...SITE, latitude: '41' }), kind)
    assert.equal(sites({ ...SITE, secret: 1 }), kind)
    assert.equal(sites({ ...SITE, created_at: '2026-03-02T08:15:00Z' }), kind)
    const { radius: _, ...lacking } = SITE
    assert.equal(sites(lacking), kind)
    const old = refusal('PUBLIC.404_001', '2020-01-01T00:00:00.000Z')
    assert.equal(verdict('/objects/9', answer(404, old)), kind)
  })

  it('rejects another outcome or other contents', () => {
    assert.equal(verdict('/sites', answer(500, {})), 'a 5xx')
    const kind = 'another outcome than the contract’s'
    assert.equal(verdict('/objects/7', answer(404, refusal('PUBLIC.404_001'))), kind)
    assert.equal(verdict('/objects/9', answer(404, refusal('ERR999'))), kind)
    assert.equal(sites({ ...SITE, id: 4 }), 'other contents than were asked for')
    assert.equal(sites(SITE, SITE), 'other contents than were asked for')
  })

  it('rejects wrong or missing headers', () => {
    const kind = 'a header against the description'
    const whole = answer(200, { statusCode: 200, result: [SITE] })
    for (const name of ['x-ratelimit-remaining', 'content-type', 'etag']) {
      const headers = new Map(whole.headers)
      headers.delete(name)
      assert.equal(verdict('/sites', { ...whole, headers }), kind, name)
    }
    const coded = answer(200, { statusCode: 200, result: [SITE] }, 'Content-Encoding: gzip\r\n')
    assert.equal(verdict('/sites', coded), kind)
  })
})

describe('An answer on the wire', () => {
  const read = (text: string) => readAnswer(Buffer.from(text, 'latin1'), 0, false)

  it('is read until it is complete', () => {
    assert.equal(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na'), undefined)
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n'
    assert.equal(read(chunked), undefined)
    assert.equal(read(`${chunked}\r\n`)?.answer.body.toString(), 'ab')
  })

  it('is rejected if two parsers might disagree', () => {
    for (const head of [
      'HTTP/1.1 200 OK\r\n\r\n',
      'HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: +0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nX : y\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n',
    ]) {
      assert.throws(() => read(head), { name: 'BrokenAnswer' }, JSON.stringify(head))
    }
  })
})
