import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { request } from '../../harness/client.ts'
import { resultOf } from '../../harness/envelope.ts'
import { fleetgateJson, type Json } from '../../harness/fleetgate.ts'
import { newDeployment } from '../../harness/new-deployment.ts'
import { PREFIX } from '../../harness/organization.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'

/** A server with this geocoder, and an organization of its own. */
async function open(geocoder: string) {
  const deployment = await newDeployment()
  const run = (...args: string[]) => fleetgateJson([...args, ...deployment.args])
  await run('org', 'create', 'Acme', '--create-objects', '--language', 'de')
  const { key } = await run('key', 'issue', '--org', '1')
  const { token } = await run('feed-token', 'issue', '--org', '1')
  const server: ServerProcess = await serve(deployment, ['--geocoder', geocoder])
  after(() => server.stop())
  return {
    server,
    /** The first packet of an ident creates its object. */
    async send(ident: string, latitude: number): Promise<void> {
      const at = `${server.feed}/feed/v1/${token}/osmand?id=${ident}&lat=${latitude}&lon=2.1744`
      assert.equal((await fetch(at)).status, 200)
    },
    async addresses(): Promise<Json> {
      const answer = await request(server.api, `${PREFIX}/objects`, {
        headers: { 'x-api-key': key },
      })
      return Object.fromEntries(
        resultOf(answer).map(({ ident, address }: Json) => [ident, address]),
      )
    },
  }
}

/** The address is found after the acknowledgement, so it appears somewhat later than the position. */
async function addressOf(fleet: Awaited<ReturnType<typeof open>>, ident: string): Promise<string> {
  const giveUpAt = performance.now() + 30_000
  for (;;) {
    const address = (await fleet.addresses())[ident]
    if (address !== null) return address
    assert.ok(performance.now() < giveUpAt, 'no address came')
    await wait(1_000)
  }
}

describe('The address of a position sent without one', () => {
  it('is that of the nearest place, without a network', async () => {
    const fleet = await open('offline')
    await fleet.send('a', 41.4036)
    assert.match(await addressOf(fleet, 'a'), /^Sagrada Família, .*Spanien$/)
  })

  it('is not looked up if the operator turned geocoding off', async () => {
    const fleet = await open('off')
    await fleet.send('a', 41.4036)
    assert.equal((await fleet.addresses()).a, null)
    assert.equal(await fleet.server.stop(), 0)
  })

  it('comes from a Nominatim server, with one request for a parked vehicle', async () => {
    const asked: URLSearchParams[] = []
    const nominatim = createServer((message, response) => {
      asked.push(new URL(message.url!, 'http://here').searchParams)
      const address = { road: 'Carrer de Mallorca', house_number: '401', city: 'Barcelona' }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ display_name: 'Carrer de Mallorca', address }))
    })
    await once(nominatim.listen(0, '127.0.0.1'), 'listening')
    after(() => nominatim.close())
    const { port } = nominatim.address() as AddressInfo
    const fleet = await open(`http://127.0.0.1:${port}`)
    await fleet.send('a', 41.4036)
    assert.match(await addressOf(fleet, 'a'), /Carrer de Mallorca/)
    await fleet.send('a', 41.4037)
    await fleet.send('b', 41.5)
    await addressOf(fleet, 'b')
    const latitudes = asked.map((parameters) => Number(parameters.get('lat')))
    assert.deepEqual(latitudes, [41.4036, 41.5])
    assert.equal(asked[0]!.get('accept-language'), 'de')
  })
})
