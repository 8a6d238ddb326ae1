import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { resultIn } from './body.ts'
import { type Ask, ask, type Connection } from './connection.ts'
import {
  ConnectionError,
  FleetgateError,
  NotFoundError,
  RateLimitedError,
  SubscriptionInactiveError,
  UnavailableError,
} from './errors.ts'
import { turnedClock } from './turned-clock.fixture.ts'
import { requestWindow } from './window.ts'

type Answering = (response: ServerResponse, asked: number, message: IncomingMessage) => void

/** A client of a server that answers as it is told, over a clock that is turned. */
async function open(t: TestContext, answering: Answering, more: Partial<Connection> = {}) {
  let asked = 0
  const server = createServer((message, response) => {
    asked += 1
    answering(response, asked, message)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const clock = turnedClock()
  const paused: number[] = []
  const connection: Connection = {
    base: `http://127.0.0.1:${port}/public/v1`,
    apiKey: 'fg_live_x',
    fetch,
    window: requestWindow(clock),
    // A pause is over at once, and noted; a time-out never comes.
    clock: {
      now: clock.now,
      after(ms, call) {
        if (ms === TIMEOUT_MS) return () => {}
        paused.push(ms)
        const timer = setImmediate(call)
        return () => clearImmediate(timer)
      },
    },
    retries: 3,
    maxWaitMs: 0,
    timeoutMs: TIMEOUT_MS,
    random: () => 0,
    ...more,
  }
  return {
    paused,
    asked: () => asked,
    get: (request: Partial<Ask> = {}) =>
      ask(
        connection,
        { path: '/objects', signal: undefined, isCharged: false, isPublic: false, ...request },
        ({ bytes }) => resultIn(bytes),
      ),
  }
}

const TIMEOUT_MS = 60_000
const OK = JSON.stringify({ statusCode: 200, result: [] })

function refuse(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
  errorCode = 'ERR999',
): void {
  const body = {
    statusCode: status,
    errorCode,
    message: `refused ${status}`,
    timestamp: 'now',
  }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

describe('A request that is refused for now', () => {
  it('is sent again after Retry-After, charged or not: a 503 has charged nothing', async (t) => {
    const client = await open(t, (response, asked) => {
      if (asked < 3) refuse(response, 503, { 'retry-after': '5' })
      else response.end(OK)
    })
    assert.deepEqual(await client.get({ isCharged: true }), [])
    assert.deepEqual(client.paused, [5_000, 5_000])
  })

  it('is given up after as many tries as were asked for', async (t) => {
    const client = await open(t, (response) => refuse(response, 503))
    await assert.rejects(client.get(), UnavailableError)
    assert.equal(client.asked(), 4)
    assert.deepEqual(client.paused, [1_000, 2_000, 4_000])
  })

  it('waits a little longer each time, at random', async (t) => {
    const answering: Answering = (response) => refuse(response, 503, { 'retry-after': '10' })
    const client = await open(t, answering, { random: () => 0.5, retries: 1 })
    await assert.rejects(client.get(), UnavailableError)
    assert.deepEqual(client.paused, [11_000])
  })
})

describe('A request beyond the window', () => {
  it('is sent again when the server says that there is room', async (t) => {
    const clock = turnedClock()
    const client = await open(
      t,
      (response, asked) => {
        if (asked === 1) refuse(response, 429, { 'retry-after': '2' })
        else response.end(OK)
      },
      { window: requestWindow(clock), maxWaitMs: 2_000 },
    )
    const got = client.get({ isCharged: true })
    const answered = got.then(() => clock.now())
    while (client.asked() < 2) await clock.runOut()
    assert.equal(await answered, 2_000)
  })

  it('is given up where others leave no room in time', async (t) => {
    const client = await open(t, (response) => refuse(response, 429))
    await assert.rejects(client.get(), RateLimitedError)
    assert.equal(client.asked(), 1)
  })
})

describe('A request that is refused for good', () => {
  it('is not sent again, and says what the server said', async (t) => {
    const client = await open(t, (response) => refuse(response, 404, {}, 'PUBLIC.404_001'))
    await assert.rejects(client.get(), (error) => {
      assert.ok(error instanceof NotFoundError)
      const { status, code, message } = error
      assert.deepEqual([status, code, message], [404, 'PUBLIC.404_001', 'refused 404'])
      return true
    })
    assert.equal(client.asked(), 1)
  })

  it('is told by its code: a path that is wrong is no object, nor a firewall a subscription', async (t) => {
    const client = await open(t, (response, asked) => refuse(response, asked === 1 ? 404 : 403))
    for (const status of [404, 403]) {
      await assert.rejects(client.get(), (error) => {
        assert.ok(error instanceof FleetgateError)
        assert.equal(error.status, status)
        assert.ok(!(error instanceof NotFoundError || error instanceof SubscriptionInactiveError))
        return true
      })
    }
  })

  it('is told by its status where a proxy answered', async (t) => {
    const client = await open(t, (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'))
    await assert.rejects(client.get(), {
      name: 'UnavailableError',
      status: 502,
      message: 'HTTP 502',
    })
  })

  it('is a redirection, since a key goes to nobody but whom it was given for', async (t) => {
    const client = await open(
      t,
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      { retries: 0 },
    )
    await assert.rejects(client.get(), ConnectionError)
  })
})

describe('A request without an answer', () => {
  const breaking: Answering = (response, asked) => {
    if (asked === 1) response.destroy()
    else response.end(OK)
  }

  it('is sent again where nothing is charged', async (t) => {
    const client = await open(t, breaking)
    assert.deepEqual(await client.get(), [])
    assert.equal(client.asked(), 2)
  })

  it('is not, where it may have been charged', async (t) => {
    const client = await open(t, breaking)
    await assert.rejects(client.get({ isCharged: true }), ConnectionError)
    assert.equal(client.asked(), 1)
  })

  it('is one whose answer breaks off', async (t) => {
    const client = await open(t, (response, asked) => {
      response.writeHead(200, { 'content-length': '1000' }).write(OK)
      if (asked === 1) setImmediate(() => response.destroy())
      else response.end(' '.repeat(1000 - OK.length))
    })
    assert.deepEqual(await client.get(), [])
    assert.equal(client.asked(), 2)
  })

  it('is one whose answer stops', async (t) => {
    let timers = 0
    const client = await open(t, (response) => response.write(OK.slice(0, 9)), {
      clock: {
        now: () => 0,
        after: (_, call) => {
          timers += 1
          // For the beginning of the answer, for what of it came, and for what never comes.
          if (timers === 3) call()
          return () => {}
        },
      },
      retries: 0,
    })
    await assert.rejects(client.get(), /^ConnectionError: the answer stopped: nothing came for/)
  })

  it('ends with the reason of the caller who wants no more', async (t) => {
    const leaving = new AbortController()
    const client = await open(t, () => leaving.abort(new Error('enough')))
    await assert.rejects(client.get({ signal: leaving.signal }), /^Error: enough$/)
    assert.equal(client.asked(), 1)
  })
})

describe('What is sent', () => {
  it('is the key in its header and nothing of it in the address; none to a public path', async (t) => {
    const keys: unknown[] = []
    const client = await open(t, (response, _, message) => {
      keys.push([message.url, message.headers['x-api-key']])
      response.end(OK)
    })
    await client.get()
    await client.get({ path: '/ping', isPublic: true })
    assert.deepEqual(keys, [
      ['/public/v1/objects', 'fg_live_x'],
      ['/public/v1/ping', undefined],
    ])
  })
})
