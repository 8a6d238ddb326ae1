import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, mock, test } from 'node:test'
import { startDriving } from './driving.ts'
import { demoFleet } from './fleet.ts'
import { drivenFixes } from './replay.ts'

const BEGAN = Date.UTC(2026, 10, 20, 10)
let now = BEGAN
const clock = { now: () => now, monotonic: () => now * 1000 }

type Row = { ident: string; time_device: string; latitude: number; odometer: number }

/** A feed that answers with `status`, and its requests. */
let status = 200
let requests: { token: unknown; path: unknown; rows: Row[] }[] = []
let received = Promise.withResolvers<void>()
const feed = createServer((message, response) => {
  let body = ''
  message.setEncoding('utf8').on('data', (text) => (body += text))
  message.on('end', () => {
    const { url: path, headers } = message
    requests.push({ token: headers['x-feed-token'], path, rows: JSON.parse(body) })
    response.writeHead(status).end('{}')
    received.resolve()
    received = Promise.withResolvers()
  })
})
let origin: string

before(async () => {
  await once(feed.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(feed.address() as AddressInfo).port}`
  mock.timers.enable({ apis: ['setInterval'] })
})
beforeEach(() => {
  now = BEGAN
  status = 200
  requests = []
})
after(() => {
  mock.timers.reset()
  feed.close()
})

/** Lets 5 seconds pass, regardless of the clock, and waits for a request. */
async function step(): Promise<void> {
  const next = received.promise
  mock.timers.tick(5_000)
  await next
}

function driven(from: number, to: number): string[] {
  return demoFleet().objects.flatMap(({ ident }) =>
    Array.from(drivenFixes(ident, from, to, 0), ({ timeDevice }) => `${ident} ${timeDevice}`),
  )
}

function reportedTimes(): string[] {
  return requests.flatMap(({ rows }) =>
    rows.map(({ ident, time_device }) => `${ident} ${Date.parse(time_device)}`),
  )
}

const unexpected = (error: unknown) => assert.fail(String(error))

const drivingSince = (until: number, failed: (error: unknown) => void) =>
  startDriving({ origin, token: 'T' }, clock, { until, ahead: 0 }, failed)

test('the vehicles report their drives until they are stopped', async () => {
  const driving = drivingSince(BEGAN - 120_000, unexpected)
  await step()
  now += 120_000
  await driving.stop()
  mock.timers.tick(50_000)
  assert.equal(requests.length, 1)
  assert.equal(requests[0]!.token, 'T')
  assert.equal(requests[0]!.path, '/feed/v1/positions')
  assert.deepEqual(reportedTimes(), driven(BEGAN - 120_000, BEGAN))
  assert.ok(reportedTimes().length > 25)
})

test('unacknowledged fixes are sent again, together with later ones', async () => {
  const failed = Promise.withResolvers<unknown>()
  const driving = drivingSince(BEGAN - 60_000, failed.resolve)
  status = 503
  await step()
  assert.match(String(await failed.promise), /answered 503/)
  requests = []
  status = 200
  now += 30_000
  // The failed step must be over before the next one begins.
  await new Promise((resolve) => setImmediate(resolve))
  await step()
  await driving.stop()
  assert.deepEqual(reportedTimes(), driven(BEGAN - 60_000, BEGAN + 30_000))
})

test('after a long sleep no request is too large', async () => {
  const hours = 3 * 3_600_000
  const driving = drivingSince(BEGAN - hours, unexpected)
  mock.timers.tick(5_000)
  while (requests.length < 18) await received.promise
  await driving.stop()
  assert.ok(requests.every(({ rows }) => rows.length < 5_000))
  assert.equal(reportedTimes().length, driven(BEGAN - hours, BEGAN).length)
})
