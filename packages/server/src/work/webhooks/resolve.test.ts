import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { selfSigned } from '../../../testing/certificate.ts'
import { type NameServer, openNameServer } from '../../../testing/name-server.ts'
import { openReceiver, posting, type WebhookReceiver } from '../../../testing/webhook-receiver.ts'
import { reachableUnless, resolverOf } from './resolve-addresses.ts'
import { openSender } from './sender.ts'

const NEVER = new AbortController().signal
const NAME = 'hooks.example'
const certificate = selfSigned(NAME)
const NOT_ALLOWED = /is not a public address, and not in an allowed network$/
const HERE = '127.0.0.1'
/** Addresses that are not allowed, of which each leads to this machine or to a private network. */
const ELSEWHERE = [
  ...['127.0.0.2', '169.254.169.254', '0.0.0.0', '10.0.0.1', '192.168.0.1', '100.64.0.1'],
  ...['::1', '::', '::ffff:7f00:2', '::ffff:a9fe:a9fe', '64:ff9b::7f00:2', '64:ff9b::a00:1'],
  ...['fd00::1', 'fe80::1', '2002:7f00:2::', '::7f00:2'],
]

let names: NameServer
before(async () => {
  names = await openNameServer()
})
after(() => names.close())

describe('A name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-hosts-'))
  const hostsFile = join(folder, 'hosts')
  writeFileSync(
    hostsFile,
    '# names\n127.0.0.1 localhost\n10.1.2.3\thooks.local Hooks # ours\n::1 localhost\n',
  )
  after(() => rmSync(folder, { recursive: true }))

  const resolve = (host: string, signal = NEVER) =>
    resolverOf({ servers: [names.address], hostsFile })(host, signal)

  it('has its addresses of both families', async () => {
    names.answer(() => ['198.51.100.1', '198.51.100.2', '2606:4700::1111'])
    assert.deepEqual(await resolve(NAME), ['198.51.100.1', '198.51.100.2', '2606:4700::1111'])
    names.answer(() => ['2606:4700::1111'])
    assert.deepEqual(await resolve(NAME), ['2606:4700::1111'])
  })

  it('has the addresses at the end of its aliases', async () => {
    names.answer(() => ['a.example', 'b.example', 'c.example', HERE])
    assert.deepEqual(await resolve(NAME), [HERE])
  })

  it('needs no name server if it is in the hosts file', async () => {
    const count = names.asked.length
    assert.deepEqual(await resolve('localhost'), [HERE, '::1'])
    assert.deepEqual(await resolve('hooks.local.'), ['10.1.2.3'])
    assert.deepEqual(await resolve('HOOKS'), ['10.1.2.3'])
    assert.equal(names.asked.length, count)
    names.answer(() => [HERE])
    assert.deepEqual(await resolve('ours'), [HERE])
  })

  it('without an address is unknown, and not if nobody says so', async () => {
    names.answer(() => 'unknown')
    await assert.rejects(resolve(NAME), { message: 'the host name is unknown' })
    names.answer(() => [])
    await assert.rejects(resolve(NAME), { message: 'the host name is unknown' })
    names.answer(() => 'failed')
    await assert.rejects(resolve(NAME), { message: 'the host name could not be resolved' })
  })

  it('is not waited for after the end of its delivery', async () => {
    names.answer(() => null)
    const ending = new AbortController()
    const silent = resolve(NAME, ending.signal)
    ending.abort()
    await assert.rejects(silent)
    await assert.rejects(resolve(NAME, ending.signal))
  })
})

describe('A try to deliver', { skip: certificate === undefined && 'openssl is absent' }, () => {
  let receiver: WebhookReceiver
  before(async () => {
    receiver = await openReceiver(certificate!)
  })
  after(() => receiver.close())

  function senderIn(t: TestContext, answerWithinMs = 5_000, allowed = [`${HERE}/32`]) {
    const sender = openSender({
      isReachable: reachableUnless(allowed),
      resolve: resolverOf({ servers: [names.address] }),
      ca: certificate!.cert,
      answerWithinMs,
    })
    t.after(() => sender.close())
    return async (name = NAME) => {
      const url = `https://${name}:${receiver.port}/`
      return (await sender.send(posting(url, Buffer.from('{}')), NEVER)).failure
    }
  }

  /** Counts connections to an address that is not allowed, on the port of the receiver. */
  async function trap(t: TestContext): Promise<() => number> {
    let count = 0
    const server = createServer((socket) => {
      count += 1
      socket.destroy()
    })
    server.listen(receiver.port, '127.0.0.2')
    await once(server, 'listening')
    t.after(() => server.close())
    return () => count
  }

  it('does not follow a name whose answer changes between tries', async (t) => {
    const send = senderIn(t)
    const trapped = await trap(t)
    for (const address of ELSEWHERE) {
      names.answer(() => [HERE])
      assert.equal(await send(), null)
      names.answer(() => [address])
      assert.match((await send())!, NOT_ALLOWED, address)
      names.answer(() => ['b.example', address])
      assert.match((await send())!, NOT_ALLOWED, `${address} by an alias`)
    }
    assert.equal(trapped(), 0)
  })

  it('asks once for each family, so an answer that changes later is not seen', async (t) => {
    const send = senderIn(t)
    const trapped = await trap(t)
    for (const address of ELSEWHERE) {
      let queries = 0
      names.answer(() => {
        queries += 1
        return queries <= 2 ? [HERE] : [address]
      })
      assert.equal(await send(), null)
      assert.equal(queries, 2)
    }
    assert.equal(trapped(), 0)
  })

  it('connects to no private one of several addresses, also if the others fail', async (t) => {
    const send = senderIn(t, 5_000, [`${HERE}/32`, '127.0.0.9/32'])
    const trapped = await trap(t)
    names.answer(() => [...ELSEWHERE, HERE])
    assert.equal(await send(), null)
    // Nothing listens at 127.0.0.9, so the next address is tried.
    names.answer(() => ['127.0.0.9', '127.0.0.2', HERE])
    assert.equal(await send(), null)
    names.answer(() => ['127.0.0.9', ...ELSEWHERE])
    assert.equal(await send(), 'the connection was refused')
    assert.equal(trapped(), 0)
  })

  it('is not held up by names whose servers never answer', async (t) => {
    const send = senderIn(t, 1_000)
    names.answer((name) => (name === NAME ? [HERE] : null))
    let ended = 0
    const silent = Array.from({ length: 20 }, (_, i) =>
      send(`silent${i}.example`).finally(() => {
        ended += 1
      }),
    )
    assert.equal(await send(), null)
    assert.equal(ended, 0)
    for (const failure of await Promise.all(silent)) assert.equal(failure, 'no answer within 1 s')
  })
})
