import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gatherAnswers, whenAnswersLeave } from './api-listener.ts'

const CLIENTS = 5

test('answers to requests that came together are written after the last of them was read', async (t) => {
  const events: string[] = []
  const { promise: accepted, resolve: tellAccepted } = Promise.withResolvers<void>()
  const { promise: answered, resolve: tellAnswered } = Promise.withResolvers<void>()
  let open = 0
  const server = createServer((socket) => {
    open += 1
    if (open === CLIENTS) tellAccepted()
    socket.on('data', async () => {
      gatherAnswers()
      events.push('read')
      await whenAnswersLeave()
      events.push('written')
      if (events.length === 2 * CLIENTS) tellAnswered()
    })
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'))
  t.after(() => {
    for (const client of clients) client.destroy()
  })
  await Promise.all([accepted, ...clients.map((client) => once(client, 'connect'))])
  for (const client of clients) client.write('request')
  await answered
  assert.deepEqual(events.slice(0, CLIENTS), new Array(CLIENTS).fill('read'))
})

test('an answer that is ready later waits for nobody', async () => {
  gatherAnswers()
  assert.notEqual(whenAnswersLeave(), undefined)
  await turn()
  assert.equal(whenAnswersLeave(), undefined)
})
