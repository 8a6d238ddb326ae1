import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import pino from 'pino'
import { handedClock } from '../../testing/handed-clock.ts'
import { API_KEY, newSecret } from '../base/access/secret.ts'
import { openRequestLog, type RequestEntry } from './request-log.ts'

const { secret: KEY } = newSecret(API_KEY)

/** The request of a client that sends its key everywhere it can. */
const MESSAGE = {
  method: 'GET',
  url: `/public/v1/objects?key=${KEY}`,
  headers: { 'x-api-key': KEY, authorization: `Bearer ${KEY}`, cookie: KEY, referer: KEY },
  rawHeaders: ['x-api-key', KEY, 'authorization', `Bearer ${KEY}`, 'cookie', KEY, 'referer', KEY],
} as unknown as IncomingMessage

function opened() {
  const lines: string[] = []
  const observed: number[] = []
  const clock = handedClock()
  let address = '192.0.2.1'
  const failures = pino({}, { write: (line: string) => void lines.push(line) })
  const log = openRequestLog(
    {
      line: (members) => void lines.push(`{${members}}`),
      error: (fields, message) => failures.error(fields, message),
    },
    () => address,
    (entry) => void observed.push(entry.status),
    clock,
  )
  return {
    log,
    lines,
    observed,
    from(other: string) {
      address = other
    },
  }
}

function entry(more: Partial<RequestEntry> = {}): RequestEntry {
  return {
    id: 'e5f1',
    method: 'GET',
    operation: 'listObjects',
    organization: 1,
    key: 2,
    status: 200,
    durationUs: 1_234,
    denial: undefined,
    isHeld: false,
    ended: undefined,
    aborted: false,
    message: MESSAGE,
    ...more,
  }
}

describe('The request log', () => {
  it('has one line for each request, with its operation and organization', () => {
    const { log, lines } = opened()
    log.request(entry())
    log.request(entry({ aborted: true, organization: undefined, key: undefined }))
    const [first, second] = lines.map((line) => JSON.parse(line))
    assert.deepEqual(first, {
      organization: 1,
      key: 2,
      method: 'GET',
      operation: 'listObjects',
      status: 200,
      ms: 1.234,
      address: '192.0.2.1',
      request_id: 'e5f1',
      msg: 'request',
    })
    assert.equal(second.aborted, true)
    assert.ok(!('key' in second) && !('organization' in second))
  })

  it('records failures of every type', () => {
    const { log, lines } = opened()
    log.failure(new Error('broken', { cause: new Error('the disk') }), 'e5f1')
    log.failure('a text', 'e5f1')
    log.failure(undefined, 'e5f1')
    assert.match(lines[0]!, /"msg":"broken/)
    assert.match(lines[0]!, /the disk/)
    assert.match(lines[0]!, /"request_id":"e5f1"/)
    assert.match(lines[1]!, /a text/)
    assert.match(lines[2]!, /failure/)
  })

  it('is thinned of what the window does not bound: for an address, or for a key', () => {
    const { log, lines, observed, from } = opened()
    const logged = (times: number, more: Partial<RequestEntry>) => {
      const before = lines.length
      for (let i = 0; i < times; i++) log.request(entry(more))
      return lines.length - before
    }
    const stranger = { organization: undefined, key: undefined }
    for (const [index, status] of [401, 404, 200].entries()) {
      from(`192.0.2.${index}`)
      assert.equal(logged(200, { ...stranger, status }), 101, 'the first hundred, and the 200th')
      assert.equal(logged(150, { status }), 150, 'of requests that the window admitted, all')
    }
    for (const [key, status] of [
      [3, 429],
      [4, 503],
    ] as const) {
      assert.equal(logged(200, { key, status }), 101)
    }
    from('192.0.2.9')
    assert.equal(logged(1, { ...stranger, status: 401 }), 1)
    assert.equal(logged(1, { key: 5, status: 429 }), 1)
    assert.equal(observed.length, 3 * 350 + 2 * 200 + 2, 'and metrics count every one')
  })
})
