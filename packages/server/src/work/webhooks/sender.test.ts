import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setImmediate as othersRun } from 'node:timers/promises'
import { selfSigned } from '../../../testing/certificate.ts'
import { freePort } from '../../../testing/servers/free-port.ts'
import {
  answerWith,
  BREAK,
  HANG,
  openReceiver,
  posting,
  type WebhookReceiver,
} from '../../../testing/webhook-receiver.ts'
import { type DeliverySlots, openDeliverySlots } from './delivery-slots.ts'
import { NotResolved, type Resolve, reachableUnless } from './resolve-addresses.ts'
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
    return (url = receiver.url) => made.send(posting(url, BODY, { 'webhook-id': 'm' }), NEVER)
  }

  it('succeeds with any 2xx, over a connection of its own', async () => {
    const send = sender()
    const connections = receiver.connections()
    for (const status of [200, 202, 204]) {
      receiver.behave(answerWith(status))
      assert.deepEqual(await send(), { status, failure: null, arrived: 1 })
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
      assert.deepEqual(await send(), { status, failure: `answered ${status}`, arrived: 0 })
    }
  })

  it('fails without an answer in time, however the receiver delays it', async () => {
    const send = sender({ answerWithinMs: LATE_MS })
    receiver.behave(HANG)
    const late = { status: null, failure: 'no answer within 0.1 s', arrived: 0 }
    assert.deepEqual(await send(), late)
    receiver.behave((response) => void response.writeContinue())
    assert.deepEqual(await send(), late)
    receiver.behave(BREAK)
    assert.equal((await sender()()).failure, 'the connection was closed before an answer')
  })

  it('fails in time if the host never speaks TLS', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const send = sender({ answerWithinMs: LATE_MS })
    const late = { status: null, failure: 'no answer within 0.1 s', arrived: 0 }
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
    const { failure } = await untrusted.send(posting(receiver.url, BODY), NEVER)
    assert.equal(failure, 'the connection failed: DEPTH_ZERO_SELF_SIGNED_CERT')
  })

  it('uses HTTPS, or networks that the operator allows', async () => {
    const { failure } = await sender()(`http://localhost:${receiver.port}/`)
    assert.match(
      failure!,
      /^127.0.0.1 is not in an allowed network, which a URL without TLS needs$/,
    )
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

/** Takes slots, and keeps the order in which they were granted. */
function taking(slots: DeliverySlots) {
  const granted: string[] = []
  const frees = new Map<string, () => void>()
  return {
    granted,
    async take(organization: number, name: string, signal = NEVER) {
      void slots.take(organization, signal).then((free) => {
        granted.push(free === null ? `not ${name}` : name)
        if (free !== null) frees.set(name, free)
      })
      await othersRun()
    },
    async free(name: string) {
      frees.get(name)!()
      await othersRun()
    },
  }
}

describe('Delivery slots', () => {
  it('are limited in number', async () => {
    const { take, free, granted } = taking(openDeliverySlots(2))
    for (const organization of [1, 2, 3]) await take(organization, `of ${organization}`)
    assert.deepEqual(granted, ['of 1', 'of 2'])
    await free('of 1')
    assert.deepEqual(granted, ['of 1', 'of 2', 'of 3'])
  })

  it('are taken by one organization up to a quarter, so that others have some', async () => {
    const { take, free, granted } = taking(openDeliverySlots(8))
    for (const name of ['1a', '1b', '1c', '1d']) await take(1, name)
    await take(2, '2a')
    assert.deepEqual(granted, ['1a', '1b', '2a'])
    await free('2a')
    await free('1b')
    assert.deepEqual(granted, ['1a', '1b', '2a', '1c'])
  })

  it('give an organization at least one, and one for each webhook at most', async () => {
    const few = taking(openDeliverySlots(2))
    for (const name of ['1a', '1b']) await few.take(1, name)
    assert.deepEqual(few.granted, ['1a'])
    const many = taking(openDeliverySlots(1_000))
    for (let i = 0; i < 20; i++) await many.take(1, String(i))
    assert.equal(many.granted.length, 10)
  })

  it('go to organizations in turn, and in an organization in order', async () => {
    const { take, free, granted } = taking(openDeliverySlots(4))
    for (const organization of [1, 2, 3, 4]) await take(organization, `of ${organization}`)
    for (const name of ['5a', '5b', '5c']) await take(5, name)
    await take(6, '6a')
    for (const organization of [1, 2]) await free(`of ${organization}`)
    assert.deepEqual(granted.slice(4), ['5a', '6a'])
    await free('5a')
    await take(7, '7a')
    await free('6a')
    assert.deepEqual(granted.slice(4), ['5a', '6a', '5b', '7a'])
  })

  it('are given up by those that stop waiting, unless one is free', async () => {
    const { take, free, granted } = taking(openDeliverySlots(4))
    const ending = new AbortController()
    await take(1, '1a')
    await take(1, '1b', ending.signal)
    await take(1, '1c')
    ending.abort()
    await take(1, '1d', ending.signal)
    await free('1a')
    await take(2, '2a', ending.signal)
    assert.deepEqual(granted, ['1a', 'not 1b', 'not 1d', '1c', '2a'])
  })
})
