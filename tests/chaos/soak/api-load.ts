import { Agent, get, type IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import type { Random } from '../../../packages/server/testing/random.ts'
import type { Answered, ApiRequest } from './api-requests.ts'
import { count, type Faults, noFaults } from './faults.ts'

/** Requests a second. */
const RATE = 100
const TICK_MS = 10
const PATIENCE_MS = 20_000
/** The share of requests on a connection of their own. */
const NEW_CONNECTION = 0.1

export type ApiLoad = {
  readonly faults: Faults
  /** Latencies of the requests since the last call, in milliseconds from their due times. */
  takeLatencies(): number[]
  stop(): Promise<void>
}

/** Sends requests at their due times, regardless of earlier answers. */
export function openApiLoad(api: string, next: () => ApiRequest, random: Random): ApiLoad {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const faults = noFaults()
  const underWay = new Set<Promise<void>>()
  let latencies: number[] = []

  async function ask(dueAt: number): Promise<void> {
    const request = next()
    const by = random.chance(NEW_CONNECTION) ? undefined : agent
    const fault = await exchange(`${api}/public/v1${request.path}`, request, by).then(
      (answer) => request.faultOf(answer),
      (error) => `${error}`,
    )
    latencies.push(performance.now() - dueAt)
    count(faults, request.operation, fault)
  }

  let dueAt = performance.now()
  const timer = setInterval(() => {
    for (; dueAt <= performance.now(); dueAt += 1000 / RATE) {
      const asked = ask(dueAt).finally(() => underWay.delete(asked))
      underWay.add(asked)
    }
  }, TICK_MS)

  return {
    faults,
    takeLatencies() {
      const taken = latencies
      latencies = []
      return taken
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      agent.destroy()
    },
  }
}

/** Without an agent: uses a connection of its own. */
function exchange(url: string, { headers }: ApiRequest, agent?: Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: agent ?? false }, (answer) => {
      decoded(answer).then(
        (text) => resolve({ status: answer.statusCode!, etag: answer.headers.etag, text }),
        reject,
      )
    })
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer')))
    request.on('error', reject)
  })
}

function decoded(answer: IncomingMessage): Promise<string> {
  switch (answer.headers['content-encoding']) {
    case 'gzip':
      return readText(answer.pipe(createGunzip()))
    case 'br':
      return readText(answer.pipe(createBrotliDecompress()))
    case 'zstd':
      return readText(answer.pipe(createZstdDecompress()))
    default:
      return readText(answer)
  }
}
