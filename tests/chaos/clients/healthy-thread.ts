/**
 * The thread of `healthy-load.ts`: sends a request every 10 ms, regardless of earlier answers. A latency starts
 * at the due time of a request, so a pause of the server counts.
 */
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { historyPath } from '../../../bench/requests.ts'
import type { Tenant } from '../../../bench/tenants.ts'
import { faultOf } from './healthy-answer.ts'
import type { HealthyFigures } from './healthy-load.ts'

const INTERVAL_MS = 10
/** Slower answers count as missing. */
const PATIENCE_MS = 20_000
const MAX_REPORTED_FAULTS = 5

const { port, tenants } = workerData as { port: number; tenants: Tenant[] }
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
let sent = 0
let latencies: number[] = []
let faults: string[] = []

function pathOf(tenant: Tenant, turn: number): string {
  const object = `/public/v1/objects/${tenant.object}`
  switch (turn % 4) {
    case 0:
      return object
    case 1:
      return `/public/v1/positions/latest?ids=${tenant.object}`
    case 2:
      return `${historyPath(tenant, 1)}&limit=10`
    default:
      return '/public/v1/objects'
  }
}

function ask(dueAt: number): void {
  const tenant = tenants[sent % tenants.length]!
  const path = pathOf(tenant, Math.floor(sent / tenants.length))
  sent += 1
  let isOver = false
  const end = (fault: string | undefined) => {
    if (isOver) return
    isOver = true
    latencies.push(performance.now() - dueAt)
    if (fault !== undefined) faults.push(`${path}: ${fault}`)
  }
  const options = { port, host: '127.0.0.1', path, agent, headers: { 'x-api-key': tenant.key } }
  const request = get(options, (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    answer.on('error', (error) => end(`${error}`))
    answer.on('end', () => end(faultOf(answer.statusCode!, text, tenant.object)))
  })
  request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer')))
  request.on('error', (error) => end(`${error}`))
}

let dueAt = performance.now()
setInterval(() => {
  for (; dueAt <= performance.now(); dueAt += INTERVAL_MS) ask(dueAt)
}, INTERVAL_MS)

parentPort!.on('message', () => {
  const sorted = latencies.sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(part * sorted.length)] ?? 0
  const figures: HealthyFigures = {
    asked: sorted.length,
    faults: faults.slice(0, MAX_REPORTED_FAULTS),
    p50: at(0.5),
    p99: at(0.99),
    slowest: sorted.at(-1) ?? 0,
  }
  latencies = []
  faults = []
  parentPort!.postMessage(figures)
})
