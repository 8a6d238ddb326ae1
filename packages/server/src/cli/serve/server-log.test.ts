import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { API_KEY, FEED_TOKEN, newSecret } from '../../access/secret.ts'
import { openServerLog } from './server-log.ts'

describe('The server log', () => {
  it('writes whole lines of JSON, with level and time', () => {
    let written = ''
    const { logger, flush } = openServerLog((lines) => {
      written += lines
    })
    const before = Date.now()
    logger.line('"operation":"ping","msg":"request"')
    logger.error({ err: new Error('the disk is full') }, 'the disk is full')
    assert.equal(written, '', 'gathered until it is worth a write')
    flush()
    const [line, failure] = written
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    assert.deepEqual([line.level, line.operation, line.msg], [30, 'ping', 'request'])
    assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(Date.parse(line.time) >= before && Date.parse(line.time) <= Date.now())
    assert.deepEqual([failure.level, failure.msg], [50, 'the disk is full'])
    assert.match(failure.err.stack, /server-log\.test/)
  })

  it('never writes a key or a token, even from an error', () => {
    let written = ''
    const { logger, flush } = openServerLog((lines) => {
      written += lines
    })
    for (const kind of [API_KEY, FEED_TOKEN] as const) {
      const { secret } = newSecret(kind)
      logger.error({ err: new Error(`what is ${secret}?`) }, `what is ${secret}?`)
      flush()
      assert.ok(written.includes(`what is ${kind}…?`))
      assert.ok(!written.includes(secret.slice(8)))
    }
  })
})
