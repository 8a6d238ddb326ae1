import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { request } from '../harness/client.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { exchange } from '../harness/raw-socket.ts'
import { serveHere } from '../harness/server-here.ts'

const CONSOLE = 'https://console.example.com'
const deployment = await newDeployment()
const server = await serveHere(deployment, ['--console-url', CONSOLE])
after(server.stop)
const port = Number(new URL(server.admin).port)

/** Requests of browsers, probes and programs to the admin listener. */
const ASKED = [
  ['GET', '/metrics'],
  ['GET', '/health'],
  ['GET', '/ready'],
  ['HEAD', '/metrics'],
  ['GET', '/'],
  ['GET', '/setup'],
  ['GET', '/no/such/page'],
  ['GET', '/admin/v1/session'],
  ['GET', '/admin/v1/openapi.json'],
  ['GET', '/admin/v1/organizations'],
  ['POST', '/admin/v1/session'],
  ['POST', '/metrics'],
  ['OPTIONS', '/admin/v1/session'],
] as const

const OWN = [
  `127.0.0.1:${port}`,
  '10.1.2.3',
  '[::1]:7072',
  '[fd00::1]',
  `localhost:${port}`,
  'LOCALHOST',
  'console.localhost',
  'console.example.com',
  'Console.Example.com:443',
]

/** Host names whose owner could point them at this machine in DNS, and invalid host names. */
const FOREIGN = [
  'evil.example:7072',
  'evil',
  'console.example.com.evil.example',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'evil.example@127.0.0.1',
  'evil.example#127.0.0.1',
  'console.example.com/evil',
  ':7072',
]

const isRefused = async (host: string, [method, path]: readonly [string, string]) => {
  // A token changes nothing: a page can invent one.
  const headers = { host, authorization: 'Bearer x' }
  const { status, text } = await request(server.admin, path, { method, headers })
  return status === 403 && (method === 'HEAD' || JSON.parse(text).code === 'foreign_host')
}

describe('The admin listener', () => {
  it('answers no page of a foreign host name, on any path', async () => {
    for (const host of FOREIGN) {
      const answered = []
      for (const asked of ASKED) if (!(await isRefused(host, asked))) answered.push(asked.join(' '))
      assert.deepEqual(answered, [], host)
    }
  })

  it('answers by its address, as localhost, and by the name of the console', async () => {
    for (const host of OWN) {
      for (const asked of ASKED) assert.ok(!(await isRefused(host, asked)), `${host} ${asked}`)
    }
    const { status } = await request(server.admin, '/metrics', { headers: { host: OWN[0]! } })
    assert.equal(status, 200)
  })

  it('answers a probe without a Host header, which no browser sends', async () => {
    const { status } = await exchange(port, 'GET /ready HTTP/1.0\r\n\r\n')
    assert.equal(status, 200)
  })

  it('explains how to allow a host name', async () => {
    const answer = await request(server.admin, '/metrics', { headers: { host: 'fleet.lan' } })
    assert.match(answer.json.message, /--console-url/)
  })
})
