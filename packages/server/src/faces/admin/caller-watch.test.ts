import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { StreamedReply } from '../../acts/act-reply.ts'
import { signedOut } from '../../acts/refused.ts'
import { sendStreamed } from './caller-watch.ts'

it('A file is cut when its caller may not have it any more, and nothing more of it is made', async (t) => {
  const caller = new AbortController()
  const watch = Promise.withResolvers<void>()
  const made = Promise.withResolvers<void>()
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(1_024)
    } finally {
      made.resolve()
    }
  }
  const server = createServer((message, response) => {
    const given = { signal: caller.signal, stop: watch.resolve }
    void sendStreamed(new StreamedReply(endless(), {}), message, response, given)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const [answer] = (await once(get({ host: '127.0.0.1', port }), 'response')) as [IncomingMessage]
  const cut = assert.rejects(async () => {
    for await (const piece of answer) assert.ok(piece.length > 0)
  }, /aborted/)
  await once(answer, 'data')
  caller.abort(signedOut())
  await Promise.all([cut, made.promise, watch.promise])
})
