import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { selfSigned } from '../../testing/certificate.ts'
import { freePort } from '../../testing/servers/free-port.ts'
import {
  answerWith,
  BREAK,
  HANG,
  openReceiver,
  type WebhookReceiver,
} from '../../testing/webhook-receiver.ts'
import { reachableUnless } from './reachable.ts'
import { NotResolved, type Resolve } from './resolve.ts'
import { openSender, type SenderOptions } from './sender.ts'

const certificate = selfSigned()
const NEVER = new AbortController().signal
const here: Resolve = async () => ['127.0.0.1']
const BODY = Buffer.from('{"type":"test","data":{}}')
const LATE_MS = 100

describe('A try to deliver', { skip: certificate === undefined && 'openssl is absent' }, () => {
  let receiver: WebhookReceiver
  before(async () => {
    receiver = await openReceiver(certificate!)
  })
  after(() => receiver.close())

  const opened: { close(): void }[] = []
  after(() => {
    for (const each of opened) each.close()
  })

  function sender(more: Partial<SenderOptions> = {}) {
    const isReachable = reachableUnless(['127.0.0.1/32'])
    const made = openSender({ isReachable, resolve: here, ca: certificate!.cert, ...more })
    opened.push(made)
    return (url = receiver.url) => made.send(url, { 'webhook-id': 'm' }, BODY, NEVER)
  }

  it('succeeds with any 2xx, over a connection of its own', async () => {
    const send = sender()
    const connections = receiver.connections()
    for (const status of [200, 202, 204]) {
      receiver.behave(answerWith(status))
      assert.deepEqual(await send(), { status, failure: null })
    }
    assert.equal(receiver.connections(), connections + 3)
    const { raw, headers } = receiver.received.at(-1)!
    assert.equal(raw, BODY.toString())
    assert.equal(headers['content-length'], String(BODY.length))
    assert.equal(headers['webhook-id'], 'm')
  })

  it('fails with other answers, and follows no redirect', async () => {
    const send = sender()
    for (const status of [301, 302, 303, 307, 308]) {
      const count = receiver.received.length
      receiver.behave(answerWith(status, { location: receiver.url }))
      const { failure } = await send()
      assert.equal(failure, `answered ${status}; redirects are not followed`)
      assert.equal(receiver.received.length, count + 1)
    }
    for (const status of [400, 404, 410, 429, 500, 503]) {
      receiver.behave(answerWith(status))
      assert.deepEqual(await send(), { status, failure: `answered ${status}` })
    }
  })

  it('fails without an answer in time, however the receiver delays it', async () => {
    const send = sender({ answerWithinMs: LATE_MS })
    receiver.behave(HANG)
    const late = { status: null, failure: 'no answer within 0.1 s' }
    assert.deepEqual(await send(), late)
    receiver.behave((response) => void response.writeContinue())
    assert.deepEqual(await send(), late)
    receiver.behave(BREAK)
    assert.equal((await send()).failure, 'the connection was closed before an answer')
  })

  it('fails in time if the host never speaks TLS', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const send = sender({ answerWithinMs: LATE_MS })
    const late = { status: null, failure: 'no answer within 0.1 s' }
    assert.deepEqual(await send(`https://localhost:${port}/`), late)
    silent.close()
  })

  it('names the reason of a failure without the URL', async () => {
    const send = sender()
    const port = await freePort()
    const refused = await send(`https://localhost:${port}/?token=secret`)
    assert.equal(refused.failure, 'the connection was refused')
    const unknown = sender({
      resolve: async () => {
        throw new NotResolved(true)
      },
    })
    assert.equal((await unknown()).failure, 'the host name is unknown')
    const untrusted = openSender({ isReachable: () => true, resolve: here })
    opened.push(untrusted)
    const { failure } = await untrusted.send(receiver.url, {}, BODY, NEVER)
    assert.equal(failure, 'the connection failed: DEPTH_ZERO_SELF_SIGNED_CERT')
  })

  it('uses HTTPS only', async () => {
    const { failure } = await sender()(`http://localhost:${receiver.port}/`)
    assert.equal(failure, 'only HTTPS is used')
  })

  it('connects to no address that is not allowed, by whatever name', async () => {
    const count = receiver.connections()
    const port = receiver.port
    const nowhere = { isReachable: reachableUnless([]) }
    const literal = sender(nowhere)
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0']) {
      const { failure } = await literal(`https://${host}:${port}/`)
      assert.match(failure!, /is not a public address, and not in an allowed network$/, host)
    }
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', 'fe80::1%lo']) {
      const named = sender({ ...nowhere, resolve: async () => [address] })
      assert.equal(
        (await named()).failure,
        `${address} is not a public address, and not in an allowed network`,
      )
    }
    assert.equal(receiver.connections(), count)
  })

  it('checks the address of the socket too', async () => {
    let checks = 0
    const send = sender({
      resolve: here,
      // As if the address was allowed when the name was resolved, and is not any more.
      isReachable: () => {
        checks += 1
        return checks === 1
      },
    })
    const count = receiver.received.length
    const { failure } = await send()
    assert.equal(failure, '127.0.0.1 is not a public address, and not in an allowed network')
    assert.equal(receiver.received.length, count)
  })
})
