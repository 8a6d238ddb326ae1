import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { after, describe, it } from 'node:test'
import { certificate, hasOpenssl } from '../harness/certificate.ts'
import type { Answer } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import { type Fleet, startFleet } from '../harness/fleet.ts'
import { WHOLE_RANGE } from '../harness/fleet-data.ts'
import { exchange } from '../harness/raw-socket.ts'

const skip = hasOpenssl ? false : 'openssl is not installed'

type Shown = Pick<Answer, 'status' | 'text' | 'json'> & { headers: Record<string, unknown> }

function overHttp1(fleet: Fleet, ca: Buffer, path: string, key: string): Promise<Shown> {
  const headers = { 'x-api-key': key }
  return new Promise((resolve, reject) => {
    httpsRequest(fleet.server.api + path, { ca, headers, agent: false }, async (answer) => {
      assert.equal(answer.httpVersion, '1.1')
      const text = Buffer.concat(await answer.toArray()).toString()
      const json = JSON.parse(text)
      resolve({ status: answer.statusCode!, text, json, headers: answer.headers })
    })
      .on('error', reject)
      .end()
  })
}

async function overHttp2(
  fleet: Fleet,
  ca: Buffer,
  requests: Record<string, string>[],
): Promise<Shown[]> {
  const session = connectHttp2(fleet.server.api, { ca })
  const answers = requests.map(
    (headers) =>
      new Promise<Shown>((resolve, reject) => {
        const stream = session.request(headers)
        stream.on('error', reject)
        stream.on('response', async (answered) => {
          const text = Buffer.concat(await stream.toArray()).toString()
          const status = Number(answered[':status'])
          const json = text === '' ? undefined : JSON.parse(text)
          resolve({ status, text, headers: { ...answered }, json })
        })
      }),
  )
  try {
    return await Promise.all(answers)
  } finally {
    session.close()
  }
}

describe('TLS', { skip }, async () => {
  if (!hasOpenssl) return
  const { ca, args } = certificate()
  const fleet = await startFleet({ full: 0, plain: 4 }, args)
  const organization = fleet.take()
  const { van, longHaul } = organization.objects

  it('says where it listens with https', () => {
    assert.match(fleet.server.api, /^https:\/\/127\.0\.0\.1:\d+$/)
  })

  it('answers HTTP/1.1', async () => {
    const answer = await overHttp1(fleet, ca, '/public/v1/objects', organization.key)
    assert.equal(resultOf(answer).length, 4)
    assert.equal(answer.headers['x-ratelimit-limit'], '10')
  })

  it('answers HTTP/2, several streams at once', async () => {
    const headers = { 'x-api-key': organization.key }
    const paths = [
      '/public/v1/objects',
      `/public/v1/objects/${van}`,
      `/public/v1/objects/${longHaul}/positions?${WHOLE_RANGE}`,
    ]
    const answers = await overHttp2(
      fleet,
      ca,
      paths.map((path) => ({ ':path': path, ...headers })),
    )
    for (const answer of answers) resultOf(answer)
    assert.equal(answers[1]!.json.result.id, van)
    assert.equal(answers[2]!.json.result.length, 1200)
    assert.match(String(answers[0]!.headers.etag), /^W\/"/)
  })

  it('gives errors over HTTP/2 as over HTTP/1.1', async () => {
    const key = { 'x-api-key': organization.key }
    const [unauthorized, missing, method, both] = await overHttp2(fleet, ca, [
      { ':path': '/public/v1/objects' },
      { ':path': '/public/v1/objects/999999999', ...key },
      { ':path': '/public/v1/objects', ':method': 'DELETE' },
      { ':path': '/public/v1/objects', authorization: `Bearer ${organization.key}`, ...key },
    ])
    assert.deepEqual(
      [unauthorized, missing, method, both].map((answer) => [
        answer!.status,
        answer!.json.errorCode,
      ]),
      [
        [401, 'ERR999'],
        [404, 'PUBLIC.404_001'],
        [405, 'ERR999'],
        [401, 'ERR999'],
      ],
    )
  })

  it('takes a HEAD over HTTP/2', async () => {
    const [head] = await overHttp2(fleet, ca, [
      { ':path': '/public/v1/objects', ':method': 'HEAD', 'x-api-key': organization.key },
    ])
    assert.deepEqual([head!.status, head!.text], [200, ''])
  })

  it('does not answer plain HTTP', async () => {
    const bytes = 'GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const { text } = await exchange(fleet.server.port, bytes)
    assert.doesNotMatch(text, /"status":"ok"/)
  })

  after(() => assert.doesNotMatch(fleet.server.stderr(), /warn/i))
})
