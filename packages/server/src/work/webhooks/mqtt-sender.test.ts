import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import mqtt from 'mqtt'
import { selfSigned } from '../../../testing/certificate.ts'
import { freePort } from '../../../testing/servers/free-port.ts'
import {
  type Mosquitto,
  startMosquitto,
  withoutMosquitto,
} from '../../../testing/servers/mosquitto.ts'
import type { Sender } from './outgoing.ts'
import { reachableIn, reachableUnless } from './resolve-addresses.ts'
import { openSender } from './sender.ts'

const certificate = selfSigned()
const HERE = ['127.0.0.1/32']
const NEVER = new AbortController().signal
const CREDENTIALS = 'fleet:pass:word'
const skip = withoutMosquitto || (certificate === undefined && 'openssl is absent')

/** A broker that refuses topics below `closed`, and takes one user. */
describe('A relay to an MQTT broker', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-broker-'))
  let broker: Mosquitto
  let tls: Mosquitto
  let sender: Sender
  before(async () => {
    const users = join(folder, 'users')
    execFileSync('mosquitto_passwd', ['-b', '-c', users, 'fleet', 'pass:word'])
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    writeFileSync(cert, certificate!.cert)
    writeFileSync(key, certificate!.key)
    const acl = join(folder, 'acl')
    writeFileSync(acl, 'user fleet\ntopic readwrite fleetgate/#\n')
    const access = ['allow_anonymous false', `password_file ${users}`, `acl_file ${acl}`]
    broker = await startMosquitto(...access)
    tls = await startMosquitto(...access, `certfile ${cert}`, `keyfile ${key}`)
    sender = openSender({
      isReachable: reachableUnless(HERE),
      isAllowed: reachableIn(HERE),
      resolve: async () => ['127.0.0.1'],
      ca: certificate!.cert,
      answerWithinMs: 2_000,
    })
  })
  after(async () => {
    sender?.close()
    await broker?.stop()
    await tls?.stop()
    if (existsSync(folder)) rmSync(folder, { recursive: true })
  })

  const messages = Array.from({ length: 250 }, (_, number) => ({
    topic: `fleetgate/${number % 3}`,
    payload: String(number),
  }))

  function publish(url: string, given = messages, credentials: string | null = CREDENTIALS) {
    return sender.send({ url, hidden: ['pass:word'], credentials, messages: given }, NEVER)
  }

  for (const scheme of ['mqtt', 'mqtts'] as const) {
    it(`publishes in order by ${scheme}`, async () => {
      const { port } = scheme === 'mqtt' ? broker : tls
      const [username, password] = ['fleet', 'pass:word']
      const to = { username, password, protocolVersion: 5, ca: certificate!.cert } as const
      const reader = await mqtt.connectAsync(`${scheme}://localhost:${port}`, to)
      await reader.subscribeAsync('fleetgate/#', { qos: 1 })
      const received: string[] = []
      const all = new Promise<void>((resolve) => {
        reader.on('message', (_, payload) => {
          if (received.push(payload.toString()) === messages.length) resolve()
        })
      })
      const sent = await publish(`${scheme}://localhost:${port}`)
      assert.deepEqual(sent, { status: 0, failure: null, arrived: 250 })
      await all
      assert.deepEqual(
        received,
        messages.map(({ payload }) => payload),
      )
      await reader.endAsync()
    })
  }

  it('accepts that nobody has subscribed', async () => {
    const { failure } = await publish(`mqtt://localhost:${broker.port}`, messages.slice(0, 1))
    assert.equal(failure, null)
  })

  it('shows why the broker refuses', async () => {
    const url = `mqtt://localhost:${broker.port}`
    const wrong = await publish(url, messages, 'fleet:other')
    assert.equal(wrong.arrived, 0)
    assert.match(wrong.failure!, /^refused with 13[45]: Connection refused: /)
    const closed = { topic: 'closed/1', payload: '' }
    const denied = await publish(url, [...messages.slice(0, 5), closed, ...messages.slice(5)])
    assert.deepEqual(denied, {
      ...{ status: 135, failure: 'refused with 135: Publish error: Not authorized', arrived: 5 },
    })
  })

  it('reads no more than 64 KiB of an answer', async (t) => {
    const endless = createServer((socket) => {
      socket.on('error', () => undefined)
      // The head of an answer to the connection, of 256 MiB.
      socket.write(Buffer.of(0x20, 0xff, 0xff, 0xff, 0x7f))
      const write = () => {
        while (socket.write(Buffer.alloc(16_384)));
      }
      socket.on('drain', write)
      write()
    })
    endless.listen(0, '127.0.0.1')
    await once(endless, 'listening')
    t.after(() => endless.close())
    const { port } = endless.address() as { port: number }
    assert.equal((await publish(`mqtt://127.0.0.1:${port}`)).failure, 'the answer is too long')
  })

  it('counts no message that arrived after one that did not', async (t) => {
    const acknowledgement = (id: number) => Buffer.of(0x40, 2, id >> 8, id & 255)
    const broker = createServer((socket) => {
      socket.on('error', () => undefined)
      // Accepts the connection, and acknowledges the second message alone.
      socket.once('data', () => {
        socket.write(Buffer.of(0x20, 3, 0, 0, 0))
        const ids: number[] = []
        socket.on('data', (bytes: Buffer) => {
          ids.push(...publishedIds(bytes))
          if (ids.length >= 2) socket.end(acknowledgement(ids[1]!))
        })
      })
    })
    broker.listen(0, '127.0.0.1')
    await once(broker, 'listening')
    t.after(() => broker.close())
    const { port } = broker.address() as { port: number }
    const { arrived, failure } = await publish(`mqtt://127.0.0.1:${port}`, messages.slice(0, 3))
    assert.equal(arrived, 0)
    assert.notEqual(failure, null)
  })

  it('ends without a broker, with a silent one, and at an address that is not allowed', async (t) => {
    assert.deepEqual(await publish(`mqtt://localhost:${await freePort()}`), {
      ...{ status: null, failure: 'the connection was refused', arrived: 0 },
    })
    const silent = createServer()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.after(() => silent.close())
    const { port } = silent.address() as { port: number }
    assert.equal((await publish(`mqtt://127.0.0.1:${port}`)).failure, 'no answer within 2 s')
    const closed = openSender({
      isReachable: reachableUnless([]),
      resolve: async () => ['10.0.0.1'],
    })
    t.after(() => closed.close())
    for (const host of ['127.0.0.1', 'name.example']) {
      for (const scheme of ['mqtt', 'mqtts']) {
        const url = `${scheme}://${host}:${broker.port}`
        const sent = await closed.send({ url, hidden: [], credentials: null, messages }, NEVER)
        assert.match(sent.failure!, /not in an allowed network/)
      }
    }
  })
})

/** The ids of whole PUBLISH packets of less than 128 bytes. */
function publishedIds(bytes: Buffer): number[] {
  const ids: number[] = []
  for (let at = 0; at + 1 < bytes.length; at += 2 + bytes[at + 1]!) {
    if (bytes[at]! >> 4 !== 3) continue
    const topic = bytes.readUInt16BE(at + 2)
    ids.push(bytes.readUInt16BE(at + 4 + topic))
  }
  return ids
}
