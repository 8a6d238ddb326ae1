import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type RequestOptions, request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { IDENTS } from '../harness/fleet-data.ts'
import { exchange } from '../harness/raw-socket.ts'
import { FEED_PREFIX, senderOf } from '../harness/sender.ts'

const fleet = await startFleet({ full: 0, plain: 2 })
const sender = await senderOf(fleet, fleet.take())
const { key, feedToken } = sender

const MIB = 1024 * 1024
const GZIP = { 'content-encoding': 'gzip' }
const TIME = '2024-06-01T08:00:00Z'
/** A valid request of each format. */
const RIGHT = {
  positions: JSON.stringify([
    { ident: IDENTS.van, time_device: TIME, latitude: 41.4, longitude: 2.2 },
  ]),
  osmand: `id=${IDENTS.van}&timestamp=${TIME}&lat=41.4&lon=2.2`,
  traccar: JSON.stringify({
    position: { fixTime: TIME, latitude: 41.4, longitude: 2.2 },
    device: { uniqueId: IDENTS.van },
  }),
  owntracks: JSON.stringify({
    ...{ _type: 'location', topic: IDENTS.van, tst: 1_717_228_800, lat: 41.4, lon: 2.2 },
  }),
}

for (const [format, body] of Object.entries(RIGHT)) {
  describe(`/feed/v1/${format}`, () => {
    const path = `/${format}`
    const post = (options: RequestOptions) =>
      sender.send(path, { method: 'POST', body, ...options })
    const bare = (headers: Record<string, string | string[]>, where = path) =>
      request(fleet.server.feed, FEED_PREFIX + where, { method: 'POST', body, headers })

    it('accepts a token in each of its places', async () => {
      const basic = Buffer.from(`any:${feedToken}`).toString('base64')
      const answers = await Promise.all([
        bare({ 'x-feed-token': feedToken }),
        bare({ authorization: `Bearer ${feedToken}` }),
        bare({ authorization: `Basic ${basic}` }),
        bare({}, `/${feedToken}${path}`),
        bare({ 'x-feed-token': 'wrong' }, `/${feedToken}${path}/`),
      ])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      )
    })

    it('answers 401 without a token, and to a wrong one, two of them, or an API key', async () => {
      const answers = await Promise.all([
        bare({}),
        bare({ 'x-feed-token': `${feedToken.slice(0, -1)}_` }),
        bare({ 'x-feed-token': [feedToken, feedToken] }),
        bare({ 'x-feed-token': key }),
        bare({ authorization: `Bearer ${key}` }),
        bare({ 'x-api-key': key }),
        bare({}, `/${key}${path}`),
      ])
      for (const answer of answers) {
        assertRefused(answer, 401, 'FEED.401_001', /feed token/)
        assert.match(String(answer.headers['www-authenticate']), /Bearer.*Basic/)
        assert.ok(!answer.text.includes(key))
      }
    })

    it('answers 405 to another method, and names the allowed ones', async () => {
      for (const method of ['PUT', 'DELETE', 'PATCH', ...(format === 'osmand' ? [] : ['GET'])]) {
        const answer = await sender.send(path, { method })
        assertRefused(answer, 405, 'FEED.405_001')
        assert.equal(answer.headers.allow, format === 'osmand' ? 'GET, POST' : 'POST')
      }
    })

    it('answers 415 to an unknown content coding', async () => {
      for (const coding of ['br', 'deflate', 'gzip, gzip']) {
        const answer = await post({ headers: { 'content-encoding': coding } })
        assertRefused(answer, 415, 'FEED.415_001', new RegExp(coding))
      }
    })

    it('answers 400 to invalid or truncated gzip', async () => {
      for (const broken of [body, gzipSync(body).subarray(0, -5)]) {
        assertRefused(await post({ body: broken, headers: GZIP }), 400, 'FEED.400_003')
      }
    })

    it('answers 413 to more bytes than the format allows, packed or unpacked', async () => {
      const most = format === 'positions' ? 8 * MIB : MIB / 4
      const large = Buffer.alloc(most + 1, ' ')
      const message = new RegExp(`at most ${most} bytes`)
      assertRefused(await post({ body: large }), 413, 'FEED.413_001', message)
      const bomb = gzipSync(large)
      assertRefused(await post({ body: bomb, headers: GZIP }), 413, 'FEED.413_001')
    })
  })
}

describe('The feed', () => {
  it('answers 404 on an unknown path', async () => {
    for (const path of ['', '/', '/none', '/positions/1', `/${feedToken}`, '/a/b/osmand']) {
      assertRefused(await sender.send(path), 404, 'FEED.404_001')
    }
    for (const path of ['/', '/public/v1/objects', '/feed/v2/positions']) {
      const headers = { 'x-feed-token': feedToken, 'x-api-key': key }
      assertRefused(await request(fleet.server.feed, path, { headers }), 404, 'FEED.404_001')
    }
  })

  it('answers 400 to invalid HTTP and closes the connection', async () => {
    const port = Number(new URL(fleet.server.feed).port)
    const answer = await exchange(port, 'NONSENSE\r\n\r\n')
    assertRefused(answer, 400, 'FEED.400_004')
  })

  it('shares no paths with the API', async () => {
    const headers = { 'x-feed-token': feedToken }
    const sent = { method: 'POST', body: RIGHT.positions, headers }
    const answer = await request(fleet.server.api, `${FEED_PREFIX}/positions`, sent)
    assertRefused(answer, 404, 'ERR999')
  })

  it('answers 401 once a token is revoked, on open connections too', async () => {
    const other = await senderOf(fleet, fleet.take())
    const post = () => other.send('/positions', { method: 'POST', body: RIGHT.positions })
    assert.equal(resultOf(await post()).stored, 1)
    const org = ['--org', String(other.id)]
    const [token] = await fleet.json('feed-token', 'list', ...org)
    await fleet.json('feed-token', 'revoke', ...org, String(token.id))
    assertRefused(await post(), 401, 'FEED.401_001')
  })

  it('writes no token to its log', () => {
    assert.ok(!JSON.stringify(fleet.server.log).includes(feedToken))
    assert.ok(!fleet.server.stderr().includes(feedToken))
  })
})
