import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { AnswerInfo, RetryInfo } from './answer-info.ts'
import { type Answering, openConnection, refuse } from './answering-server.fixture.ts'
import { resultIn } from './body.ts'
import { type Ask, ask, type Connection } from './connection.ts'
import {
  ConnectionError,
  FleetgateError,
  NotFoundError,
  QuotaExhaustedError,
  RateLimitedError,
  SubscriptionInactiveError,
  UnavailableError,
} from './errors.ts'
import { turnedClock } from './turned-clock.fixture.ts'
import { requestWindow } from './window.ts'

/** The same, with a client whose calls request a list. */
async function open(t: TestContext, answering: Answering, more: Partial<Connection> = {}) {
  const { connection, ...rest } = await openConnection(t, answering, more)
  return {
    ...rest,
    get: (request: Partial<Ask> = {}) =>
      ask(
        connection,
        { path: '/objects', signal: undefined, isRepeatable: true, isPublic: false, ...request },
        ({ bytes }) => resultIn(bytes),
      ),
  }
}

const OK = JSON.stringify({ statusCode: 200, result: [] })

describe('A request that is refused temporarily', () => {
  it('is repeated after Retry-After, charged or not: a 503 charges nothing', async (t) => {
    const client = await open(t, (response, asked) => {
      if (asked < 3) refuse(response, 503, 'ERR999', { 'retry-after': '5' })
      else response.end(OK)
    })
    assert.deepEqual(await client.get({ isRepeatable: false }), [])
    assert.deepEqual(client.paused, [5_000, 5_000])
  })

  it('is given up after the configured number of attempts', async (t) => {
    const client = await open(t, (response) => refuse(response, 503))
    await assert.rejects(client.get(), UnavailableError)
    assert.equal(client.asked(), 4)
    assert.deepEqual(client.paused, [1_000, 2_000, 4_000])
  })

  it('waits a little longer each time, with randomness', async (t) => {
    const answering: Answering = (response) =>
      refuse(response, 503, 'ERR999', { 'retry-after': '10' })
    const client = await open(t, answering, { random: () => 0.5, retries: 1 })
    await assert.rejects(client.get(), UnavailableError)
    assert.deepEqual(client.paused, [11_000])
  })
})

describe('A request beyond the window', () => {
  it('is repeated when the server says that there is room', async (t) => {
    const clock = turnedClock()
    const client = await open(
      t,
      (response, asked) => {
        if (asked === 1) refuse(response, 429, 'ERR999', { 'retry-after': '2' })
        else response.end(OK)
      },
      { window: requestWindow(clock), maxWaitMs: 2_000 },
    )
    const got = client.get({ isRepeatable: false })
    const answered = got.then(() => clock.now())
    while (client.asked() < 2) await clock.runOut()
    assert.equal(await answered, 2_000)
  })

  it('is repeated alone if other answers with all rows are under way', async (t) => {
    const clock = turnedClock()
    const room = { 'ratelimit-policy': '"default";q=10;w=10', ratelimit: '"default";r=9;t=1' }
    const window = requestWindow(clock)
    const client = await open(
      t,
      (response, asked) => {
        if (asked === 1) refuse(response, 429, 'ERR999', { 'retry-after': '10', ...room })
        else response.end(OK)
      },
      { window, maxWaitMs: 10_000 },
    )
    await client.get({ isRepeatable: false })
    assert.deepEqual(client.paused, [10_000])
    // The window has held up nobody, and has not counted the refusal.
    for (let free = 9; free > 0; free -= 1) await window.slot()
  })

  it('is given up if other clients leave no room in time', async (t) => {
    const client = await open(t, (response) => refuse(response, 429))
    await assert.rejects(client.get(), RateLimitedError)
    assert.equal(client.asked(), 1)
  })
})

describe('A request that is refused permanently', () => {
  it("is not repeated, and throws the server's message", async (t) => {
    const client = await open(t, (response) => refuse(response, 404, 'PUBLIC.404_001'))
    await assert.rejects(client.get(), (error) => {
      assert.ok(error instanceof NotFoundError)
      const { status, code, message } = error
      assert.deepEqual([status, code, message], [404, 'PUBLIC.404_001', 'refused 404'])
      return true
    })
    assert.equal(client.asked(), 1)
  })

  it('is classified by its code: a wrong path is not a missing object, and a firewall is not a subscription', async (t) => {
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

  it('is classified by its status if a proxy answered', async (t) => {
    const client = await open(t, (response) => response.writeHead(502).end('<h1>Bad gateway</h1>'))
    await assert.rejects(client.get(), {
      name: 'UnavailableError',
      status: 502,
      message: 'HTTP 502',
    })
  })

  it('says why the key was refused', async (t) => {
    const challenge = 'Bearer error="invalid_token", error_description="The API key was revoked"'
    const client = await open(t, (response) =>
      refuse(response, 401, 'ERR999', { 'www-authenticate': challenge }),
    )
    await assert.rejects(client.get(), {
      name: 'UnauthorizedError',
      message: 'refused 401: The API key was revoked',
    })
  })

  it('says that the address is wrong if another server answered', async (t) => {
    const client = await open(t, (response) => response.writeHead(404).end('not found'))
    await assert.rejects(client.get(), {
      message: 'HTTP 404: there is no Fleetgate API at this address',
    })
  })

  it('includes a redirection, since a key must not go to another server', async (t) => {
    const client = await open(
      t,
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      { retries: 0 },
    )
    await assert.rejects(client.get(), ConnectionError)
  })
})

describe('A request that only a proxy answers', () => {
  const answering: Answering = (response, asked) => {
    if (asked === 1) response.writeHead(502).end('<h1>Bad gateway</h1>')
    else response.end(OK)
  }

  it('is repeated if it is free, and not if it may have been charged', async (t) => {
    assert.deepEqual(await (await open(t, answering)).get(), [])
    const client = await open(t, answering)
    await assert.rejects(client.get({ isRepeatable: false }), UnavailableError)
  })
})

describe('A request without an answer', () => {
  const breaking: Answering = (response, asked) => {
    if (asked === 1) response.destroy()
    else response.end(OK)
  }

  it('is repeated if it is free', async (t) => {
    const client = await open(t, breaking)
    assert.deepEqual(await client.get(), [])
    assert.equal(client.asked(), 2)
  })

  it('is not repeated if it may have been charged', async (t) => {
    const client = await open(t, breaking)
    await assert.rejects(client.get({ isRepeatable: false }), ConnectionError)
    assert.equal(client.asked(), 1)
  })

  it('includes one whose answer breaks off', async (t) => {
    const client = await open(t, (response, asked) => {
      response.writeHead(200, { 'content-length': '1000' }).write(OK)
      if (asked === 1) setImmediate(() => response.destroy())
      else response.end(' '.repeat(1000 - OK.length))
    })
    assert.deepEqual(await client.get(), [])
    assert.equal(client.asked(), 2)
  })

  it('includes one whose answer stops', async (t) => {
    let timers = 0
    const client = await open(t, (response) => response.write(OK.slice(0, 9)), {
      clock: {
        now: () => 0,
        after: (_, call) => {
          timers += 1
          // The timeouts of the start, the rest and the end of the answer.
          if (timers === 3) call()
          return () => {}
        },
      },
      retries: 0,
    })
    await assert.rejects(client.get(), /^ConnectionError: the response stalled: no data for/)
  })

  it('ends with the abort reason of the caller', async (t) => {
    const leaving = new AbortController()
    const client = await open(t, () => leaving.abort(new Error('enough')))
    await assert.rejects(client.get({ signal: leaving.signal }), /^Error: enough$/)
    assert.equal(client.asked(), 1)
  })
})

describe('The body of a refusal', () => {
  it('is read only as far as an error needs', async (t) => {
    let sent = 0
    const client = await open(t, (response) => {
      response.writeHead(400).write('{"message":"')
      const piece = 'x'.repeat(65_536)
      const flood = () => {
        while (!response.destroyed && sent < 400) {
          sent += 1
          if (!response.write(piece)) return response.once('drain', flood)
        }
        return response.end('"}')
      }
      flood()
    })
    await assert.rejects(client.get(), { name: 'InvalidRequestError', message: 'HTTP 400' })
    assert.ok(sent < 300, `${sent} pieces were sent`)
  })

  it('is not awaited beyond the timeout, however slowly it arrives', async (t) => {
    let now = 0
    const client = await open(
      t,
      (response) => {
        response.writeHead(400).write('{')
        const drip = setInterval(() => {
          now += 20_000
          response.write(' ')
        }, 1)
        response.on('close', () => clearInterval(drip))
      },
      { clock: { now: () => now, after: () => () => {} } },
    )
    await assert.rejects(client.get(), { name: 'InvalidRequestError', message: 'HTTP 400' })
  })

  it('may have any content', async (t) => {
    for (const body of ['null', '[]', '7', '{"message":{}}', '<html>']) {
      const client = await open(t, (response) => response.writeHead(400).end(body))
      await assert.rejects(client.get(), { name: 'InvalidRequestError', message: 'HTTP 400' })
    }
  })
})

describe('A request of the client', () => {
  it('has the key in its header and never in the URL; none for a public path', async (t) => {
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

  it('has the language of messages', async (t) => {
    let asked: string | undefined
    const client = await open(
      t,
      (response, _, message) => {
        asked = message.headers['accept-language']
        response.end(OK)
      },
      { language: 'pt-BR, pt;q=0.8' },
    )
    await client.get()
    assert.equal(asked, 'pt-BR, pt;q=0.8')
  })
})

describe('A program', () => {
  const quotaHeaders = { 'x-quota-limit': '100', 'x-quota-remaining': '7', 'x-quota-reset': '60' }
  const quota = { limit: 100, remaining: 7, resetAfterMs: 60_000 }

  it('sees each answer with its request id and quota, and each retry', async (t) => {
    const answers: AnswerInfo[] = []
    const retries: RetryInfo[] = []
    const client = await open(
      t,
      (response, asked) => {
        if (asked === 1)
          refuse(response, 503, 'ERR999', { 'retry-after': '5', 'x-request-id': 'a' })
        else response.writeHead(200, { ...quotaHeaders, 'x-request-id': 'b' }).end(OK)
      },
      { onAnswer: (answer) => answers.push(answer), onRetry: (retry) => retries.push(retry) },
    )
    await client.get({ path: '/objects?cursor=x' })
    const path = '/objects'
    assert.deepEqual(answers, [
      { path, status: 503, requestId: 'a', quota: undefined, exhausted: [], retryAfterMs: 5_000 },
      { path, status: 200, requestId: 'b', quota, exhausted: [], retryAfterMs: undefined },
    ])
    assert.deepEqual(
      retries.map(({ path, error, waitMs }) => [path, error.name, waitMs]),
      [[path, 'UnavailableError', 5_000]],
    )
  })

  it('finds them in an error as well', async (t) => {
    const exhausted = { 'x-quota-exhausted': '3,8' }
    const headers = { ...quotaHeaders, ...exhausted, 'retry-after': '60', 'x-request-id': 'c' }
    const client = await open(t, (response) => refuse(response, 400, 'PUBLIC.400_005', headers))
    await assert.rejects(client.get(), (error) => {
      assert.ok(error instanceof QuotaExhaustedError)
      assert.deepEqual([error.requestId, error.quota, error.retryAfterMs], ['c', quota, 60_000])
      assert.deepEqual(error.exhausted, [3, 8])
      return true
    })
  })
})
