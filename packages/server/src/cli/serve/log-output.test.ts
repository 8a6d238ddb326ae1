import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { freePort } from '../../../testing/servers/free-port.ts'
import { start, temporaryFolder } from '../processes/spawned.ts'
import { logOutput, MAX_WAITING_BYTES } from './log-output.ts'

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
