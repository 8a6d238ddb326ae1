import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import pino from 'pino'
import { handedClock } from '../../testing/handed-clock.ts'
import { API_KEY, newSecret } from '../access/secret.ts'
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

  it('is thinned for an address that tries keys', () => {
    const { log, lines, observed, from } = opened()
    const logged = (times: number, status = 401) => {
      const before = lines.length
      for (let i = 0; i < times; i++) log.request(entry({ status }))
      return lines.length - before
    }
    assert.equal(logged(200), 101, 'the first hundred, and the 200th')
    assert.equal(logged(5, 200), 5, 'what is not refused is logged all the same')
    from('192.0.2.2')
    assert.equal(logged(1), 1)
    assert.equal(observed.length, 206, 'and metrics count every one')
  })
})
