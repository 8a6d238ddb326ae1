import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { addDrive } from '../../../bench/drive.ts'
import { processorSeconds } from '../../../bench/processor.ts'
import { addTenants, type Tenant } from '../../../bench/tenants.ts'
import { openStore } from '../../../packages/server/src/run/compose.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { Finding, Trial } from '../part.ts'
import { besideUndisturbed } from './undisturbed.ts'

const OTHERS = 200
/** Below the 32 KiB of the public listener, and the 16 KiB of the others. */
const PUBLIC_BYTES = 31_000
const OTHER_BYTES = 15_000
/** Requests of one kind in a row, so that steps of 10 ms are fine enough. */
const MEASURED = 300
const WARM_UP = 50
const MAX_COST_MS = 1
const SENT_EVERY_MS = 10

type Hostile = { name: string; path: string; header: (bytes: number) => string }

const listOf = (name: string, item: string) => (bytes: number) =>
  `${name}: ${item.repeat((bytes - name.length) / item.length)}`
const PING = '/public/v1/ping'
const WITHOUT_KEY = '/public/v1/objects'

const TO_PUBLIC: Hostile[] = [
  { name: 'languages of one letter', path: WITHOUT_KEY, header: listOf('Accept-Language', 'a,') },
  { name: 'wildcards', path: WITHOUT_KEY, header: listOf('Accept-Language', '*,') },
  { name: 'false weights', path: WITHOUT_KEY, header: listOf('Accept-Language', 'de;q=NaN,') },
  { name: 'subtags', path: WITHOUT_KEY, header: listOf('Accept-Language', 'a-') },
  { name: 'parameters', path: WITHOUT_KEY, header: listOf('Accept-Language', 'a;') },
  { name: 'codings', path: '/openapi.json', header: listOf('Accept-Encoding', 'a,') },
  { name: 'tags', path: '/openapi.json', header: listOf('If-None-Match', ',') },
  { name: 'proxies', path: PING, header: listOf('X-Forwarded-For', '::1,') },
  { name: 'cookies', path: PING, header: listOf('Cookie', 'a=b;') },
  { name: 'ranges', path: PING, header: listOf('Range', '0-0,') },
]

const TO_OPERATOR: Hostile[] = [
  { name: 'codings', path: '/', header: listOf('Accept-Encoding', 'a,') },
  { name: 'tags', path: '/', header: listOf('If-None-Match', ',') },
  { name: 'cookies', path: '/admin/v1/session', header: listOf('Cookie', 'a=b;') },
  { name: 'proxies', path: '/admin/v1/session', header: listOf('X-Forwarded-For', '::1,') },
]

const TO_FEED: Hostile[] = [
  { name: 'proxies', path: '/feed/v1/osmand', header: listOf('X-Forwarded-For', '::1,') },
  { name: 'tokens', path: '/feed/v1/osmand', header: listOf('Authorization', 'Bearer ') },
]

/** Headers that are as long as a listener takes, of clients without a key. */
export async function headers(trial: Trial): Promise<Finding[]> {
  const folder = join(trial.folder, 'headers')
  const others = await fill(folder)
  const server = await serve(inFolder(folder), ['--geocoder', 'off', '--trust-proxy', 'loopback'])
  try {
    const findings = [
      await costOf('the public listener', server, server.port, PUBLIC_BYTES, TO_PUBLIC),
      await costOf('the operator’s', server, portOf(server.admin), OTHER_BYTES, TO_OPERATOR),
      await costOf('the feed', server, portOf(server.feed), OTHER_BYTES, TO_FEED),
    ]
    const seconds = trial.amount({ minutes: 10, hours: 60 })
    const flood = () => floodWith(server.port, seconds)
    return findings.concat(await besideUndisturbed('long headers', server, others, flood))
  } finally {
    await server.stop()
  }
}

async function fill(folder: string): Promise<Tenant[]> {
  const store = await openStore({ folder })
  const tenants = await addTenants(store, OTHERS)
  for (const tenant of tenants) await addDrive(store, tenant, 1)
  await store.close()
  return tenants
}

/** The processor time that the most expensive header of a listener takes. */
async function costOf(
  listener: string,
  { pid }: ServerProcess,
  port: number,
  bytes: number,
  hostiles: readonly Hostile[],
): Promise<Finding> {
  let [worst, worstMs] = ['', 0]
  for (const hostile of hostiles) {
    const sender = await openSender(port)
    const request = requestOf(hostile, bytes)
    for (let i = 0; i < WARM_UP; i += 1) await sender.send(request)
    const before = processorSeconds(pid)
    for (let i = 0; i < MEASURED; i += 1) await sender.send(request)
    const ms = ((processorSeconds(pid) - before) * 1_000) / MEASURED
    if (ms >= worstMs) [worst, worstMs] = [hostile.name, ms]
    sender.end()
  }
  return {
    what: `processor time of a request with a long header to ${listener}`,
    bar: `at most ${MAX_COST_MS} ms`,
    measured: `${worstMs.toFixed(2)} ms (${worst})`,
    met: worstMs <= MAX_COST_MS,
  }
}

/** Sends each hostile request in turn, one when the last was due 10 ms ago. */
async function floodWith(port: number, seconds: number): Promise<void> {
  const sender = await openSender(port)
  const end = performance.now() + seconds * 1_000
  for (let sent = 0; performance.now() < end; sent += 1) {
    const due = wait(SENT_EVERY_MS)
    await sender.send(requestOf(TO_PUBLIC[sent % TO_PUBLIC.length]!, PUBLIC_BYTES))
    await due
  }
  sender.end()
}

function requestOf({ path, header }: Hostile, bytes: number): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header(bytes)}\r\n\r\n`
}

/** One connection, whose next request begins after the answer. */
async function openSender(port: number) {
  const socket: Socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return {
    async send(request: string): Promise<void> {
      socket.write(request, 'latin1')
      let text = ''
      for (let isWhole = false; !isWhole; ) {
        const [chunk] = await once(socket, 'data')
        text += chunk.toString('latin1')
        isWhole = isAnswer(text)
      }
    },
    end: () => socket.destroy(),
  }
}

function isAnswer(text: string): boolean {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return false
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0
  return text.length >= head + 4 + Number(length)
}

function portOf(origin: string): number {
  return Number(new URL(origin).port)
}
