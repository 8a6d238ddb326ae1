import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listenAdmin } from './admin-listener.ts'

const log = { closed: () => {}, unreadable: () => undefined }
const limits = { perAddress: 1, clientOf: () => null, inAll: Infinity, ...log }
const broken = () => Promise.reject(new Error('a process has gone'))

test('a request that cannot be answered gets an error and does not end the server', async (t) => {
  const metrics = { text: broken, contentType: 'text/plain' }
  const place = { host: '127.0.0.1', port: 0, consoleUrl: null }
  const sources = { metrics, isReady: broken }
  const { address, close } = await listenAdmin(sources, null, place, limits)
  t.after(close)
  const statusOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${address.port}${path}`)).status
  assert.equal(await statusOf('/ready'), 503)
  assert.equal(await statusOf('/metrics'), 500)
  assert.equal(await statusOf('/health'), 200)
})
