import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import { type Live, streamLive } from './live.ts'

/** The parts of a response and of the store that a stream needs. */
function opened(isReadToTheEnd = true) {
  let watcher: Watcher | undefined
  const reported = { text: '', isEnded: false, watchers: 0 }
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableLength: 0,
    writeHead: () => response,
    write(text: string | Buffer) {
      reported.text += text
      return true
    },
    writableEnded: false,
    end() {
      reported.isEnded = true
      response.writableEnded = true
      if (isReadToTheEnd) response.emit('close')
    },
  })
  const live: Live = {
    watch(_, send, ended) {
      reported.watchers += 1
      watcher = { send, ended }
      return () => {
        reported.watchers -= 1
      }
    },
    close() {},
  }
  return {
    reported,
    live,
    response: response as unknown as ServerResponse,
    watcher: () => watcher!,
  }
}

type Watch = Parameters<Live['watch']>
type Watcher = { send: Watch[1]; ended: Watch[2] }

const BEAT_MS = 15_000
const UNCOUNTED = { fleet() {} }

it('a stream sends a heartbeat while its client is authorized, and ends at the next one otherwise', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { reported, live, response } = opened()
  let isLetIn: () => Promise<boolean> = async () => true
  streamLive(live, 1, response, () => isLetIn(), UNCOUNTED)
  const beat = async () => {
    reported.text = ''
    t.mock.timers.tick(BEAT_MS)
    await new Promise(setImmediate)
    return reported.text
  }
  assert.equal(await beat(), ':\n\n')
  isLetIn = () => Promise.reject(new Error('the store is down'))
  assert.equal(await beat(), ':\n\n')
  assert.equal(reported.watchers, 1)
  isLetIn = async () => false
  assert.equal(await beat(), '')
  assert.ok(reported.isEnded)
  assert.equal(reported.watchers, 0)
  assert.equal(await beat(), '')
})

it('a stream that waits for its last bytes to be read sends nothing after its end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { reported, live, response, watcher } = opened(false)
  streamLive(live, 1, response, async () => true, UNCOUNTED)
  const { send, ended } = watcher()
  reported.text = ''
  ended()
  assert.deepEqual([reported.isEnded, reported.watchers], [true, 0])
  send(Buffer.from('event: gone'), { size: () => 0, ids: () => [] })
  t.mock.timers.tick(3 * BEAT_MS)
  await new Promise(setImmediate)
  assert.equal(reported.text, '')
  response.emit('close')
  assert.equal(reported.watchers, 0)
})

it('a client that disconnects during authorization is not subscribed', () => {
  const { reported, live, response } = opened()
  Object.assign(response, { destroyed: true })
  streamLive(live, 1, response, async () => true, UNCOUNTED)
  assert.deepEqual(reported, { text: '', isEnded: false, watchers: 0 })
})
