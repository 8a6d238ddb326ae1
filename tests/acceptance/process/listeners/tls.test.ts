import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { after, describe, it } from 'node:test'
import { connect } from 'node:tls'
import { certificate, hasOpenssl } from '../../harness/certificate.ts'
import type { Answer } from '../../harness/client.ts'
import { resultOf } from '../../harness/envelope.ts'
import { type Fleet, startFleetProcess } from '../../harness/fleet.ts'
import { WHOLE_RANGE } from '../../harness/fleet-data.ts'
import { exchange } from '../../harness/raw-socket.ts'

const skip = hasOpenssl ? false : 'openssl is not installed'

type Shown = Pick<Answer, 'status' | 'text' | 'json'> & { headers: Record<string, unknown> }

type Asked = { method?: string; headers?: Record<string, string> }

function ask(fleet: Fleet, ca: Buffer, path: string, asked: Asked): Promise<Shown> {
  return new Promise((resolve, reject) => {
    httpsRequest(fleet.server.api + path, { ca, agent: false, ...asked }, async (answer) => {
      assert.equal(answer.httpVersion, '1.1')
      const text = Buffer.concat(await answer.toArray()).toString()
      const json = text === '' ? undefined : JSON.parse(text)
      resolve({ status: answer.statusCode!, text, json, headers: answer.headers })
    })
      .on('error', reject)
      .end()
  })
}

describe('TLS', { skip }, async () => {
  if (!hasOpenssl) return
  const { ca, args } = certificate()
  const fleet = await startFleetProcess({ full: 0, plain: 4 }, args)
  const organization = fleet.take()
  const { van, longHaul } = organization.objects

  it('is announced with https in the listening address', () => {
    assert.match(fleet.server.api, /^https:\/\/127\.0\.0\.1:\d+$/)
  })

  it('answers HTTP/1.1, several requests at once', async () => {
    const headers = { 'x-api-key': organization.key }
    const paths = [
      '/public/v1/objects',
      `/public/v1/objects/${van}`,
      `/public/v1/objects/${longHaul}/positions?${WHOLE_RANGE}`,
    ]
    const answers = await Promise.all(paths.map((path) => ask(fleet, ca, path, { headers })))
    assert.equal(resultOf(answers[0]!).length, 4)
    assert.equal(answers[0]!.headers['x-ratelimit-limit'], '10')
    assert.match(String(answers[0]!.headers.etag), /^W\/"/)
    assert.equal(resultOf(answers[1]!).id, van)
    assert.equal(resultOf(answers[2]!).length, 1200)
  })

  it('sends errors as plain HTTP does', async () => {
    const key = { 'x-api-key': organization.key }
    const answers = await Promise.all([
      ask(fleet, ca, '/public/v1/objects', {}),
      ask(fleet, ca, '/public/v1/objects/999999999', { headers: key }),
      ask(fleet, ca, '/public/v1/objects', { method: 'DELETE' }),
      ask(fleet, ca, '/public/v1/objects', {
        headers: { authorization: `Bearer ${organization.key}`, ...key },
      }),
    ])
    assert.deepEqual(
      answers.map(({ status, json }) => [status, json.errorCode]),
      [
        [401, 'ERR999'],
        [404, 'PUBLIC.404_001'],
        [405, 'ERR999'],
        [401, 'ERR999'],
      ],
    )
  })

  it('answers HEAD', async () => {
    const headers = { 'x-api-key': organization.key }
    const head = await ask(fleet, ca, '/public/v1/objects', { method: 'HEAD', headers })
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  it('negotiates HTTP/1.1 with a client that offers HTTP/2 as well', async () => {
    const { protocol, answer } = await shake(fleet.server.port, ca, ['h2', 'http/1.1'])
    assert.equal(protocol, 'http/1.1')
    assert.match(answer, /^HTTP\/1\.1 200 .*"ok"/s)
  })

  it('serves a client without ALPN', async () => {
    const { protocol, answer } = await shake(fleet.server.port, ca, undefined)
    assert.equal(protocol, false)
    assert.match(answer, /^HTTP\/1\.1 200 .*"ok"/s)
  })

  it('refuses a client that offers only HTTP/2', async () => {
    await assert.rejects(shake(fleet.server.port, ca, ['h2']), {
      code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
    })
  })

  it('does not answer plain HTTP', async () => {
    const bytes = 'GET /public/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const { text } = await exchange(fleet.server.port, bytes)
    assert.doesNotMatch(text, /"status":"ok"/)
  })

  after(() => assert.doesNotMatch(fleet.server.stderr(), /warn/i))
})

/** The protocol that a handshake negotiates, and the answer to a ping. */
async function shake(port: number, ca: Buffer, offered: string[] | undefined) {
  const ALPN = offered === undefined ? {} : { ALPNProtocols: offered }
  const socket = connect({ port, host: '127.0.0.1', ca, ...ALPN })
  await once(socket, 'secureConnect')
  socket.write('GET /public/v1/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const answer = Buffer.concat(await socket.toArray()).toString()
  return { protocol: socket.alpnProtocol, answer }
}
