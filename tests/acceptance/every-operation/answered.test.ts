import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { request } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { OPERATIONS } from '../harness/operations.ts'
import type { Organization } from '../harness/organization.ts'

const fleet = await startFleet()

describe('Lists and detail: 304', () => {
  const organization = fleet.full[0]!
  for (const { name, path } of OPERATIONS.filter(({ isCached }) => isCached)) {
    it(name, async () => {
      const first = await organization.get(path(organization))
      resultOf(first)
      const { etag } = first.headers
      assert.match(etag!, /^W\/"[^"]+"$/)
      assert.equal(first.headers['cache-control'], 'private, no-cache')
      const headers = { 'if-none-match': etag! }
      const again = await organization.get(path(organization), { headers })
      assert.deepEqual([again.status, again.bytes.length], [304, 0])
      assert.equal(again.headers.etag, etag)
      assert.equal(again.headers['content-length'], undefined)
      assert.equal(again.headers['cache-control'], 'private, no-cache')
      assert.ok(again.headers['x-ratelimit-remaining'], 'a 304 counts too')
    })
  }

  it('accepts a list of entity tags, the strong form of one, and *', async () => {
    const other = fleet.full[1]!
    const { etag } = (await other.get('/objects')).headers
    const strong = etag!.slice(2)
    for (const field of [`"other", ${etag}`, strong, '*']) {
      const answer = await other.get('/objects', { headers: { 'if-none-match': field } })
      assert.equal(answer.status, 304, field)
    }
    const answer = await other.get('/objects', { headers: { 'if-none-match': 'W/"other"' } })
    resultOf(answer)
  })

  it('charges a 304 of the detail too', async () => {
    const own = fleet.take()
    const { van } = own.objects
    await fleet.run('org', 'update', String(own.id), '--daily-quota', '10')
    const { etag } = (await own.get(`/objects/${van}`)).headers
    const again = await own.get(`/objects/${van}`, { headers: { 'if-none-match': etag! } })
    assert.equal(again.status, 304)
    const latest = await own.get(`/positions/latest?ids=${van}`)
    assert.deepEqual([latest.headers['x-quota-remaining'], latest.headers.etag], ['7', undefined])
  })

  it('sends the whole answer after a change', async () => {
    const other = fleet.full[1]!
    const path = `/objects/${other.objects.truck}`
    const { etag } = (await other.get(path)).headers
    const id = String(other.objects.truck)
    await fleet.run('objects', 'update', id, '--org', String(other.id), '--name', 'Renamed')
    const answer = await other.get(path, { headers: { 'if-none-match': etag! } })
    assert.equal(resultOf(answer).name, 'Renamed')
    assert.notEqual(answer.headers.etag, etag)
  })
})

const VARYING = [
  'date',
  'x-request-id',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit',
  'content-length',
]

describe('Every operation: HEAD', () => {
  for (const { name, path } of OPERATIONS) {
    it(`${name} answers with the headers of a GET and no body`, async () => {
      const head = await fleet.ask(path, { method: 'HEAD' })
      const get = await fleet.ask(path)
      assert.equal(head.status, 200)
      assert.equal(head.bytes.length, 0)
      assert.equal(head.headers['content-type'], get.headers['content-type'])
      assert.equal(head.headers['cache-control'], get.headers['cache-control'])
      assert.equal(head.headers.vary, get.headers.vary)
    })
  }

  it('answers an error without its body', async () => {
    const answer = await fleet.ask(() => '/objects/999999999', { method: 'HEAD' })
    assert.deepEqual([answer.status, answer.bytes.length], [404, 0])
    const ping = await request(fleet.server.api, '/public/v1/ping', { method: 'HEAD' })
    assert.deepEqual([ping.status, ping.bytes.length], [200, 0])
  })

  it('has the same headers as a GET of the same object', async () => {
    const organization = fleet.full[0]!
    const path = `/objects/${organization.objects.van}`
    const [get, head] = [
      await organization.get(path),
      await organization.get(path, { method: 'HEAD' }),
    ]
    const stable = ({ headers }: { headers: object }) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !VARYING.includes(name)))
    assert.deepEqual(stable(head), stable(get))
  })
})

const DECODE = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }

describe('Answers: compression and caching: compression', () => {
  const long = ({ objects }: Organization) =>
    `/objects/${objects.longHaul}/positions?${WHOLE_RANGE}`
  const ask = (path: (organization: Organization) => string, accepted?: string) =>
    fleet.ask(path, accepted === undefined ? {} : { headers: { 'accept-encoding': accepted } })

  for (const [coding, decode] of Object.entries(DECODE)) {
    it(`encodes a stream with ${coding}`, async () => {
      const organization = fleet.full[0]!
      const plain = await organization.get(long(organization))
      const packed = await organization.get(long(organization), {
        headers: { 'accept-encoding': coding },
      })
      assert.equal(packed.headers['content-encoding'], coding)
      assert.match(packed.headers.vary!, /accept-encoding/i)
      assert.ok(packed.bytes.length < plain.bytes.length / 3, `${packed.bytes.length} bytes`)
      assert.deepEqual(JSON.parse(decode(packed.bytes).toString()), plain.json)
    })

    it(`encodes a list with ${coding}`, async () => {
      const organization = fleet.full[1]!
      const plain = await organization.get('/objects')
      const headers = { 'accept-encoding': coding }
      const packed = await organization.get('/objects', { headers })
      assert.equal(packed.headers['content-encoding'], coding)
      assert.match(packed.headers.vary!, /accept-encoding/i)
      assert.deepEqual(JSON.parse(decode(packed.bytes).toString()), plain.json)
    })
  }

  it('is not used if the client does not accept it', async () => {
    for (const accepted of [undefined, 'identity', 'gzip;q=0, identity', 'deflate', '']) {
      const answer = await ask(long, accepted)
      assert.equal(answer.headers['content-encoding'], undefined, String(accepted))
      assert.equal(answer.json.statusCode, 200)
      assert.match(answer.headers.vary!, /accept-encoding/i)
    }
  })
})
