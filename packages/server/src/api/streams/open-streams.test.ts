import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import type { Directory } from '../../directory/directory.ts'
import type { Credential } from '../../domain/credential.ts'
import type { Organization } from '../../domain/organization.ts'
import { listening } from '../../http/listening.ts'
import { EventWriter } from './event-writer.ts'
import { openStreams } from './open-streams.ts'

const LOOK_MS = 500
const [key, organization] = [{ scope: null } as Credential, {} as Organization]
const directory = { keys: { find: () => key }, organization: () => organization }

it('A quiet stream gets a comment after 14 s, and none earlier', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const parts = { catchUp: async () => {}, clock: handedClock() }
  const counts = { opened() {}, sent() {}, ended() {} }
  const streams = openStreams(1, { directory: directory as unknown as Directory, ...parts }, counts)
  const server = createServer((_, response) => {
    response.flushHeaders()
    const writer = new EventWriter(response, () => {})
    const stream = { writer, organization, key, renewCursor() {}, end: () => writer.end() }
    streams.add(stream)
    t.after(() => streams.remove(stream, 'client'))
  })
  const { port } = await listening(server, 0, '127.0.0.1')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const [answer] = (await once(get({ port }), 'response')) as [IncomingMessage]
  const received: string[] = []
  answer.setEncoding('utf8').on('data', (text) => received.push(text))
  /** Looks after the streams, and lets what was written arrive. */
  const look = async () => {
    t.mock.timers.tick(LOOK_MS)
    for (let pass = 0; pass < 100; pass += 1) await new Promise(setImmediate)
  }
  now = 13_999
  await look()
  assert.deepEqual(received, [])
  now = 14_000
  await look()
  assert.deepEqual(received, [':\n\n'])
  streams.close()
  await once(answer, 'end')
})
