import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type RequestOptions, request } from '../harness/client.ts'
import { assertRefused, resultOf } from '../harness/envelope.ts'
import { FEED_FORMATS } from '../harness/feed-formats.ts'
import { startFleet } from '../harness/fleet.ts'
import { FEED_PREFIX, senderOf } from '../harness/sender.ts'

const fleet = await startFleet({ full: 0, plain: 2 })
const sender = await senderOf(fleet, fleet.take())
const { key, feedToken } = sender

const GZIP = { 'content-encoding': 'gzip' }

for (const [name, { methods, maxBytes, body }] of Object.entries(FEED_FORMATS)) {
  describe(`/feed/v1/${name}`, () => {
    const path = `/${name}`
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
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        if (methods.includes(method)) continue
        const answer = await sender.send(path, { method })
        assertRefused(answer, 405, 'FEED.405_001')
        assert.equal(answer.headers.allow, methods.join(', '))
      }
    })

    it('answers 415 to an unknown content coding', async () => {
      for (const coding of ['br', 'deflate', 'gzip, gzip']) {
        const answer = await post({ headers: { 'content-encoding': coding } })
        assertRefused(answer, 415, 'FEED.415_001', new RegExp(coding))
        assert.equal(answer.headers['accept-encoding'], 'gzip, identity')
      }
    })

    it('answers 400 to invalid or truncated gzip', async () => {
      for (const broken of [body, gzipSync(body).subarray(0, -5)]) {
        assertRefused(await post({ body: broken, headers: GZIP }), 400, 'FEED.400_003')
      }
    })

    it('answers 413 to more bytes than the format allows, packed or unpacked', async () => {
      const large = Buffer.alloc(maxBytes + 1, ' ')
      const message = new RegExp(`at most ${maxBytes} bytes`)
      assertRefused(await post({ body: large }), 413, 'FEED.413_001', message)
      const bomb = gzipSync(large)
      assertRefused(await post({ body: bomb, headers: GZIP }), 413, 'FEED.413_001')
    })
  })
}

describe('The feed', () => {
  it('answers 404 on an unknown path, and names the formats', async () => {
    const { text } = await sender.send('/none')
    const named = JSON.parse(text)
      .message.split('/feed/v1/')[1]
      .split(/, | or /)
    assert.deepEqual(named.sort(), Object.keys(FEED_FORMATS).sort())
    for (const path of ['', '/', '/none', '/positions/1', `/${feedToken}`, '/a/b/osmand']) {
      assertRefused(await sender.send(path), 404, 'FEED.404_001')
    }
    for (const path of ['/', '/public/v1/objects', '/feed/v2/positions']) {
      const headers = { 'x-feed-token': feedToken, 'x-api-key': key }
      assertRefused(await request(fleet.server.feed, path, { headers }), 404, 'FEED.404_001')
    }
  })

  it('reads a token by the rules of its place', async () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    const places: [headers: Record<string, string>, status: number][] = [
      [{ authorization: `bearer  ${feedToken}` }, 200],
      [{ 'x-feed-token': feedToken, authorization: basic('proxy:secret') }, 200],
      [{ 'x-feed-token': 'wrong', authorization: `Bearer ${feedToken}` }, 401],
      [{ authorization: `Digest ${feedToken}` }, 401],
      [{ authorization: basic(feedToken) }, 401],
      [{ authorization: basic(`${feedToken}:`) }, 401],
    ]
    const { body } = FEED_FORMATS.positions!
    for (const [headers, expected] of places) {
      const sent = { method: 'POST', body, headers }
      const answer = await request(fleet.server.feed, `${FEED_PREFIX}/positions`, sent)
      assert.equal(answer.status, expected, JSON.stringify(headers))
    }
  })

  it('takes a body of the greatest length, and none longer, also if its length comes at its end', async () => {
    const { body, maxBytes } = FEED_FORMATS.positions!
    const post = (length: number, headers = {}) => {
      const lines = body.slice(1, -1).padEnd(length, '\n')
      return sender.send('/positions', { method: 'POST', body: lines, headers })
    }
    const chunked = { 'transfer-encoding': 'chunked' }
    assert.equal((await post(maxBytes)).status, 200)
    assert.equal((await post(maxBytes, chunked)).status, 200)
    assertRefused(await post(maxBytes + 1, chunked), 413, 'FEED.413_001', /at most 8388608 bytes/)
  })

  it('shares no paths with the API', async () => {
    const headers = { 'x-feed-token': feedToken }
    const sent = { method: 'POST', body: FEED_FORMATS.positions!.body, headers }
    const answer = await request(fleet.server.api, `${FEED_PREFIX}/positions`, sent)
    assertRefused(answer, 404, 'ERR999')
  })

  it('answers 401 once a token is revoked, on open connections too', async () => {
    const other = await senderOf(fleet, fleet.take())
    const post = () =>
      other.send('/positions', { method: 'POST', body: FEED_FORMATS.positions!.body })
    assert.equal(resultOf(await post()).stored, 1)
    const org = ['--org', String(other.id)]
    const [token] = await fleet.json('feed-token', 'list', ...org)
    await fleet.json('feed-token', 'revoke', ...org, String(token.id))
    assertRefused(await post(), 401, 'FEED.401_001')
  })
})
