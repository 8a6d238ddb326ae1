import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import { MAX_STREAMS } from '../../base/domain/limits.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import { memoryStreamSlots } from '../../data/live/memory/memory-realtime.ts'
import type { StreamSlot } from '../../data/live/realtime.ts'
import type { Api } from '../api.ts'
import { ChangeStream, type Opening } from './change-stream.ts'
import type { Reading } from './changes-query.ts'

const ORGANIZATION = 1

describe('A stream of changes', () => {
  it('gives its slot back if the client has gone before it begins', async () => {
    const slots = memoryStreamSlots()
    const response = await abandonedResponse()
    const slot: StreamSlot = await slots.lineUp(ORGANIZATION, MAX_STREAMS)
    const opening = { slot, query: {} } as Opening
    const stream = new ChangeStream({} as Api, opening)
    await stream.run(response)
    assert.equal(stream.ended(), 'client')
    for (let count = 0; count < MAX_STREAMS; count += 1) {
      assert.ok(await (await slots.lineUp(ORGANIZATION, MAX_STREAMS)).isTaken())
    }
  })

  it('charges nothing for a page that it has read for a client that has gone', async (t) => {
    const { response, close } = await openResponse()
    t.after(close)
    const slot: StreamSlot = await memoryStreamSlots().lineUp(ORGANIZATION, MAX_STREAMS)
    const page = { entries: [{ type: 'state', object: { id: 1 } }] }
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
    let charges = 0
    const api = {
      streams: { add() {}, remove() {} },
      changeWatch: { leave() {} },
      clock: systemClock,
      directory: { organization: () => null },
      realtime: { quota: { charge: async () => (charges += 1) } },
      views: {
        async view() {
          stream.end('client')
          return { page, room: { free } }
        },
      },
    } as unknown as Api
    const organization = { id: ORGANIZATION } as Organization
    const reading = { at: null, wanted: { types: [], include: [] } } as unknown as Reading
    const stream = new ChangeStream(api, { organization, slot, query: {}, reading } as Opening)
    await stream.run(response)
    await isFree
    assert.equal(charges, 0)
  })
})

/** A response whose client has reset the connection after its request. */
async function abandonedResponse(): Promise<ServerResponse> {
  const { response, client, close } = await openResponse()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  // A reset is an error of the request too.
  response.req.on('error', () => {})
  response.req.socket.on('close', resolve)
  client.resetAndDestroy()
  await closed
  close()
  return response
}

async function openResponse() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: fleet\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  const close = () => {
    client.destroy()
    server.close()
  }
  return { response, client, close }
}
