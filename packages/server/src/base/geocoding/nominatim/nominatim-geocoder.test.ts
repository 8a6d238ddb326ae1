import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { handedClock } from '../../../../testing/handed-clock.ts'
import type { Geocoder } from '../geocoder.ts'
import {
  cellOf,
  type NominatimSettings,
  openAddressCache,
  openNominatimGeocoder,
  readAnswer,
} from './nominatim-geocoder.ts'
import { systemWait, type Wait } from './request-pace.ts'

const HOUSE = recorded('house.json')

const HOUSE_ADDRESS = '71, Via Guglielmo Marconi, Bologna, Italy'

const NOTHING = recorded('nothing.json')

/** The fallback for positions that were not queried. */
const NEAREST: Pick<Geocoder, 'known' | 'close'> = {
  known: async () => () => 'near Bologna',
  async close() {},
}

describe('The Nominatim geocoder', () => {
  it('sends the documented request, and identifies itself', async () => {
    await using played = await play([HOUSE], { path: '/osm/?key=s3cret' })
    assert.equal(await played.geocoder.address(44.50155, 1e-7, 'tr'), HOUSE_ADDRESS)
    const [request] = played.requests
    const url = new URL(request!.url!, 'http://any')
    assert.equal(url.pathname, '/osm/reverse')
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      key: 's3cret',
      format: 'jsonv2',
      lat: '44.501550',
      lon: '0.000000',
      zoom: '18',
      'accept-language': 'tr',
    })
    assert.equal(request!.headers['user-agent'], 'Fleetgate/test (ops@example.org)')
  })

  it('answers reads from earlier answers, else with the nearest place, and sends no request', async () => {
    await using played = await play([HOUSE, NOTHING])
    const { geocoder, requests } = played
    await geocoder.address(44.50155, 11.33989, 'fr')
    await geocoder.address(0, 0, 'fr')
    const addressAt = await geocoder.known('fr')
    assert.equal(addressAt(44.50156, 11.33989), HOUSE_ADDRESS)
    assert.equal(addressAt(44.6, 11.33989), 'near Bologna', 'nobody asked for it')
    assert.equal(addressAt(0, 0), 'near Bologna', 'it had no answer')
    const inGerman = await geocoder.known('de')
    assert.equal(inGerman(44.50155, 11.33989), 'near Bologna', 'not in this language')
    assert.equal(requests.length, 2)
  })

  it('finds /reverse by its own URL or by the parent URL', async () => {
    for (const [path, found] of [
      ['', '/reverse'],
      ['/', '/reverse'],
      ['/reverse', '/reverse'],
      ['/osm', '/osm/reverse'],
      ['/v1/reverse/', '/v1/reverse'],
    ] as const) {
      await using played = await play([HOUSE], { path })
      await played.geocoder.address(1, 0, 'en')
      assert.equal(new URL(played.requests[0]!.url!, 'http://any').pathname, found)
    }
  })

  it('queries each cell of 50 m once per language, with any answer', async () => {
    for (const [body, address] of [
      [HOUSE, HOUSE_ADDRESS],
      [NOTHING, null],
    ] as const) {
      await using played = await play([body, body])
      const { geocoder, requests } = played
      const near = [44.50155, 44.50156].map((latitude) =>
        geocoder.address(latitude, 11.33989, 'en'),
      )
      assert.deepEqual(await Promise.all(near), [address, address])
      assert.equal(await geocoder.address(44.50155, 11.3399, 'en'), address)
      assert.equal(requests.length, 1)
      await geocoder.address(44.50155, 11.33989, 'de')
      assert.equal(requests.length, 2)
    }
  })

  it('sends one request at a time, one a second', async () => {
    await using played = await play([HOUSE, HOUSE, HOUSE])
    const { geocoder, requests, waits } = played
    await Promise.all([1, 2, 3].map((latitude) => geocoder.address(latitude, 0, 'en')))
    assert.equal(requests.length, 3)
    assert.equal(played.mostAtOnce(), 1)
    assert.deepEqual(waits, [1000, 1000])
  })

  it('queries a private server at the configured rate', async () => {
    await using played = await play([HOUSE, HOUSE], { requestsPerSecond: 50 })
    await played.geocoder.address(1, 0, 'en')
    await played.geocoder.address(2, 0, 'en')
    assert.deepEqual(played.waits, [20])
  })

  it('obeys Retry-After of 429 and 503, and queries again afterwards', async () => {
    await using played = await play([
      { status: 429, headers: { 'retry-after': '120' } },
      { status: 503, headers: { 'retry-after': '7' } },
      HOUSE,
      HOUSE,
    ])
    const { geocoder, waits } = played
    assert.equal(await geocoder.address(1, 0, 'en'), null)
    assert.equal(await geocoder.address(1, 0, 'en'), null)
    assert.equal(await geocoder.address(1, 0, 'en'), HOUSE_ADDRESS)
    assert.equal(await geocoder.address(2, 0, 'en'), HOUSE_ADDRESS)
    assert.deepEqual(waits, [120_000, 7_000, 1_000])
  })

  it('backs off after any failure of the server, and logs it once', async () => {
    await using played = await play([
      { status: 500 },
      { status: 403, body: HOUSE },
      '<html>maintenance</html>',
      { body: 'x'.repeat(70_000) },
      'hang up',
      HOUSE,
      { status: 502 },
    ])
    const { geocoder, waits, failures } = played
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      assert.equal(await geocoder.address(1, 0, 'en'), null, `attempt ${attempt}`)
    }
    assert.equal(await geocoder.address(1, 0, 'en'), HOUSE_ADDRESS)
    assert.deepEqual(waits, [2_000, 4_000, 8_000, 16_000, 32_000])
    assert.deepEqual(failures, [`${played.origin} returned no addresses: status 500`])
    assert.equal(await geocoder.address(2, 0, 'en'), null)
    assert.equal(failures.length, 2)
  })

  it('never contacts another server, whatever the answer says', async () => {
    await using elsewhere = await play([HOUSE])
    const headers = { location: `${elsewhere.origin}/reverse` }
    await using played = await play([{ status: 302, headers }])
    assert.equal(await played.geocoder.address(1, 0, 'en'), null)
    assert.deepEqual(played.failures, [`${played.origin} returned no addresses: status 302`])
    assert.equal(elsewhere.requests.length, 0)
  })

  it('does not wait forever for an answer', async () => {
    await using played = await play(['never', HOUSE])
    const asked = played.geocoder.address(1, 0, 'en')
    await played.arrived()
    played.passTimeout()
    assert.equal(await asked, null)
    assert.match(played.failures[0]!, /no answer within 10 seconds$/)
    assert.equal(await played.geocoder.address(1, 0, 'en'), HOUSE_ADDRESS)
  })

  it('returns null if the server is down', async () => {
    await using played = await play([])
    await played.stop()
    assert.equal(await played.geocoder.address(1, 0, 'en'), null)
    assert.match(played.failures[0]!, /ECONNREFUSED/)
  })

  it('cancels pending requests when closed, and sends no others', async () => {
    await using played = await play(['never', HOUSE])
    const asked = [1, 2].map((latitude) => played.geocoder.address(latitude, 0, 'en'))
    await played.arrived()
    await played.geocoder.close()
    assert.deepEqual(await Promise.all(asked), [null, null])
    assert.equal(await played.geocoder.address(3, 0, 'en'), null)
    assert.equal(played.requests.length, 1)
    assert.deepEqual(played.failures, [])
  })

  it('does not wait for the next interval when closed', async () => {
    await using played = await play([HOUSE, HOUSE], { wait: systemWait })
    assert.equal(await played.geocoder.address(1, 0, 'en'), HOUSE_ADDRESS)
    const asked = played.geocoder.address(2, 0, 'en')
    await played.geocoder.close()
    assert.equal(await asked, null)
    assert.equal(played.requests.length, 1)
  })
})

type Part = string | { status?: number; headers?: Record<string, string>; body?: string }

/** A server that plays Nominatim: its answers are these parts in order. */
async function play(
  parts: Part[],
  {
    path = '/',
    requestsPerSecond = 1,
    wait,
  }: { path?: string; requestsPerSecond?: number; wait?: Wait } = {},
) {
  const requests: IncomingMessage[] = []
  let atOnce = 0
  let mostAtOnce = 0
  const server = createServer((request, response) => {
    requests.push(request)
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    response.on('close', () => {
      atOnce -= 1
    })
    answer(parts[requests.length - 1] ?? 'hang up', response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const handed = handedWait()
  const failures: string[] = []
  const settings: NominatimSettings = {
    url: new URL(path, origin),
    userAgent: 'Fleetgate/test (ops@example.org)',
    requestsPerSecond,
    clock: handed.clock,
    wait: wait ?? handed.wait,
    report: (failure) => failures.push(failure),
  }
  const geocoder = openNominatimGeocoder(settings, NEAREST)

  async function stop(): Promise<void> {
    if (!server.listening) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    geocoder,
    origin,
    requests,
    failures,
    waits: handed.waits,
    passTimeout: handed.passTimeout,
    stop,
    mostAtOnce: () => mostAtOnce,
    arrived: () => (requests.length > 0 ? undefined : once(server, 'request')),
    async [Symbol.asyncDispose]() {
      await geocoder.close()
      await stop()
    },
  }
}

function answer(part: Part, response: ServerResponse): void {
  if (part === 'never') return
  if (part === 'hang up') {
    response.destroy()
    return
  }
  const { status = 200, headers = {}, body = '' } = typeof part === 'string' ? { body: part } : part
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Timers that pass at once, except answer timeouts, which the test fires. */
function handedWait() {
  const clock = handedClock()
  const waits: number[] = []
  let timeout = Promise.withResolvers<void>()
  async function wait(ms: number): Promise<void> {
    if (ms === 10_000) return timeout.promise
    waits.push(ms)
    clock.advanceUs(ms * 1000)
  }
  function passTimeout(): void {
    timeout.resolve()
    timeout = Promise.withResolvers()
  }
  return { clock, wait, waits, passTimeout }
}

function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')
}

describe('An answer of Nominatim', () => {
  it('is shortened to house number, street, settlement and country', () => {
    assert.deepEqual(readAnswer(200, recorded('house.json')), {
      address: '71, Via Guglielmo Marconi, Bologna, Italy',
    })
    assert.deepEqual(readAnswer(200, recorded('motorway.json')), {
      address: 'Autopista Pedro Eugenio Aramburu, El Triángulo, Argentina',
    })
  })

  it('may be empty, with status 200 or 404', () => {
    for (const status of [200, 404]) {
      assert.deepEqual(readAnswer(status, recorded('nothing.json')), { address: null })
    }
  })

  it('has no house number without its street, and no repetition', () => {
    const addressOf = (address: object) =>
      readAnswer(200, JSON.stringify({ display_name: 'whole', address }))
    assert.deepEqual(addressOf({ house_number: '5', hamlet: 'Alm', country: 'Austria' }), {
      address: 'Alm, Austria',
    })
    assert.deepEqual(addressOf({ road: 'Ring', city: 'Singapore', country: 'Singapore' }), {
      address: 'Ring, Singapore',
    })
  })

  it('uses the display name without parts', () => {
    for (const address of [undefined, {}, { postcode: '1' }, { road: 3 }]) {
      assert.deepEqual(readAnswer(200, JSON.stringify({ display_name: 'A,\n B', address })), {
        address: 'A, B',
      })
    }
  })

  it('is rejected if it is another document', () => {
    const others = [
      '',
      '<html>',
      '[]',
      'null',
      '{}',
      '{"display_name":""}',
      '{"error":"Too many"}',
      JSON.stringify({ display_name: 'x'.repeat(1025) }),
    ]
    for (const body of others) assert.equal(readAnswer(200, body), undefined, body)
    assert.equal(readAnswer(404, recorded('house.json')), undefined)
  })

  it('never makes the parser throw', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(200, 404), (body, status) => {
        const answer = readAnswer(status, `{"display_name":"whole","address":${body}}`)
        if (status === 200) assert.equal(typeof answer?.address, 'string')
      }),
    )
  })
})

const [A, B, C] = ['first', 'second', 'third'] as const

describe('The address cache', () => {
  it('evicts the least recently used address', () => {
    const cache = openAddressCache(2)
    cache.set('a', A)
    cache.set('b', null)
    assert.equal(cache.get('a'), A)
    cache.set('c', C)
    assert.equal(cache.get('b'), undefined)
    assert.equal(cache.get('a'), A)
    assert.equal(cache.get('c'), C)
  })

  it('stores that a place has no address', () => {
    const cache = openAddressCache(2)
    cache.set('a', null)
    cache.set('b', B)
    assert.equal(cache.get('a'), null)
    cache.set('c', C)
    assert.equal(cache.get('a'), null, 'it was used after b')
    assert.equal(cache.get('b'), undefined)
  })
})

describe('A cell', () => {
  it('never contains two positions farther apart than its diagonal', () => {
    const latitude = fc.double({ min: -89, max: 89, noNaN: true })
    const longitude = fc.double({ min: -179, max: 179, noNaN: true })
    const metres = fc.double({ min: -200, max: 200, noNaN: true })
    fc.assert(
      fc.property(latitude, longitude, metres, metres, (atLatitude, atLongitude, north, east) => {
        const there = atLatitude + north / 111_195
        const narrowing = Math.cos((there * Math.PI) / 180)
        const away = atLongitude + east / 111_195 / narrowing
        if (cellOf(atLatitude, atLongitude, 'en') === cellOf(there, away, 'en')) {
          assert.ok(Math.hypot(north, east) < 75)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('contains positions close to each other', () => {
    assert.equal(cellOf(41.39, 2.16, 'en'), cellOf(41.39001, 2.16001, 'en'))
    assert.notEqual(cellOf(41.39, 2.16, 'en'), cellOf(41.39, 2.16, 'de'))
  })
})
