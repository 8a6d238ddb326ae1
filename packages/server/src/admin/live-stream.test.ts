import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { it } from 'node:test'
import type { Live } from './live.ts'
import { streamLive } from './live-stream.ts'

/** What a stream needs of a response, and of what it watches. */
function opened(isReadToTheEnd = true) {
  let watcher: Watcher | undefined
  const told = { text: '', isEnded: false, watchers: 0 }
  const response = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableLength: 0,
    writeHead: () => response,
    write(text: string) {
      told.text += text
      return true
    },
    writableEnded: false,
    end() {
      told.isEnded = true
      response.writableEnded = true
      if (isReadToTheEnd) response.emit('close')
    },
  })
  const live: Live = {
    watch(_, moved, gone) {
      told.watchers += 1
      watcher = { moved, gone }
      return () => {
        told.watchers -= 1
      }
    },
    close() {},
  }
  return { told, live, response: response as unknown as ServerResponse, watcher: () => watcher! }
}

type Watch = Parameters<Live['watch']>
type Watcher = { moved: Watch[1]; gone: Watch[2] }

const BEAT_MS = 15_000

it('a stream beats while its watcher is let in, and ends at the next beat when he is not', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { told, live, response } = opened()
  let isLetIn: () => Promise<boolean> = async () => true
  streamLive(live, 1, response, () => isLetIn())
  const beat = async () => {
    told.text = ''
    t.mock.timers.tick(BEAT_MS)
    await new Promise(setImmediate)
    return told.text
  }
  assert.equal(await beat(), ':\n\n')
  isLetIn = () => Promise.reject(new Error('the store is down'))
  assert.equal(await beat(), ':\n\n')
  assert.equal(told.watchers, 1)
  isLetIn = async () => false
  assert.equal(await beat(), '')
  assert.ok(told.isEnded)
  assert.equal(told.watchers, 0)
  assert.equal(await beat(), '')
})

it('nothing follows the end of a stream that waits to be read to its end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { told, live, response, watcher } = opened(false)
  streamLive(live, 1, response, async () => true)
  const { moved, gone } = watcher()
  told.text = ''
  gone()
  assert.deepEqual([told.isEnded, told.watchers], [true, 0])
  moved({ moved: [], gone: [7] })
  t.mock.timers.tick(3 * BEAT_MS)
  await new Promise(setImmediate)
  assert.equal(told.text, '')
  response.emit('close')
  assert.equal(told.watchers, 0)
})

it('nobody watches for a reader that has gone before he was let in', () => {
  const { told, live, response } = opened()
  Object.assign(response, { destroyed: true })
  streamLive(live, 1, response, async () => true)
  assert.deepEqual(told, { text: '', isEnded: false, watchers: 0 })
})
