import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { start, temporaryFolder } from '../../../testing/command-line/spawned.ts'
import { freePort } from '../../../testing/servers/free-port.ts'
import { API_KEY, FEED_TOKEN, newSecret } from '../../base/access/secret.ts'
import { holdOutput } from '../terminal.ts'
import { logOutput, MAX_WAITING_BYTES, openServerLog, relayLines } from './server-log.ts'

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

const NOW = Date.UTC(2026, 10, 22)

/** A stream whose reader takes everything, or nothing. */
function stalling() {
  const written: string[] = []
  const stream = {
    writableLength: 0,
    isRead: false,
    write(lines: string | Buffer) {
      written.push(String(lines))
      if (!stream.isRead) stream.writableLength += lines.length
      return true
    },
  }
  return { stream, written }
}

describe('The log of a reader that has stopped', () => {
  it('takes bounded memory, and reports missing lines when the reader continues', () => {
    const { stream, written } = stalling()
    const output = logOutput(stream, () => NOW)
    const line = `${'x'.repeat(99)}\n`
    const lines = 2 * (MAX_WAITING_BYTES / line.length)
    for (let i = 0; i < lines; i += 2) output(line + line)
    assert.ok(stream.writableLength <= MAX_WAITING_BYTES + 2 * line.length)
    const kept = written.join('').split('\n').length - 1
    stream.isRead = true
    stream.writableLength = 0
    output(Buffer.from(line))
    const said = JSON.parse(written.at(-2)!)
    assert.deepEqual([said.level, said.time], [40, new Date(NOW).toISOString()])
    assert.equal(said.dropped + kept, Math.ceil(lines / 2) * 2)
    assert.equal(written.at(-1), line)
  })

  it('does not keep a server from ending', async (t) => {
    const folder = await temporaryFolder(t)
    const ports = await Promise.all([freePort(), freePort(), freePort()])
    const [api, feed, admin] = ports.map(String) as [string, string, string]
    const given = ['--data', folder, '--port', api, '--feed-port', feed, '--admin-port', admin]
    const server = start(['serve', ...given])
    const ended = once(server, 'exit')
    await once(server.stderr, 'data')
    server.stderr.resume()
    // More lines than the pipe holds: 3,000 of some 200 bytes.
    for (let i = 0; i < 300; i += 1) {
      const asked = Array.from({ length: 10 }, () => fetch(`http://127.0.0.1:${api}/`))
      for (const answer of await Promise.all(asked)) await answer.text()
    }
    server.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })
})

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('lines of several processes remain whole, however their bytes arrive', async () => {
  const pieces = fc.array(
    fc.record({ source: fc.nat(2), bytes: fc.stringMatching(/^[ab\n]{0,6}$/) }),
  )
  await fc.assert(
    fc.asyncProperty(pieces, async (written) => {
      let out = ''
      const sources = [0, 1, 2].map(() => new PassThrough())
      for (const source of sources) relayLines(source, (lines) => (out += lines))
      const texts = ['', '', '']
      for (const { source, bytes } of written) {
        sources[source]!.write(bytes)
        texts[source] += bytes
      }
      await settled()
      const lines = (text: string) => text.split('\n').slice(0, -1)
      assert.deepEqual(lines(out).sort(), texts.flatMap(lines).sort())
    }),
    { numRuns: 200 },
  )
})

it('output waits until it is released, and keeps its order', () => {
  let out = ''
  const held = holdOutput((lines) => (out += lines))
  held.write('a')
  held.write(Buffer.from('b'))
  assert.equal(out, '')
  held.open()
  held.write('c')
  held.open()
  assert.equal(out, 'abc')
})
