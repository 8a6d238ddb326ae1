import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { FleetOrganization } from './fleet.ts'
import type { Json } from './fleetgate.ts'
import { PREFIX } from './organization.ts'

/**
 * Milliseconds between two requests of one organization: slow enough for the rate window, so that no request earns a 429.
 */
const PACE_MS = 1_250
/** A client gives up after this long; none should. */
const PATIENCE_MS = 20_000

export type Asked = {
  organization: number
  operation: string
  isLimited: boolean
  /** `performance.now()` of the request, and of the end of the answer. */
  sentAt: number
  tookMs: number
  /** 0 without a complete answer. */
  status: number
  /** The violation of the contract, if any. */
  fault: string | undefined
  /** Whether the answer is complete. */
  isFull: boolean
}

export type Load = {
  readonly asked: Asked[]
  /** The charges of each organization that were answered with a 200, and the others. */
  readonly charged: Map<number, { answered: number; unanswered: number }>
  stop(): Promise<void>
}

/**
 * Organizations that send requests continuously, each at its own pace within its window, to all servers in turn.
 * Half of them have a daily quota.
 */
export function steadyLoad(
  servers: () => readonly string[],
  organizations: readonly FleetOrganization[],
  isLimited: (organization: FleetOrganization) => boolean,
): Load {
  const agent = new Agent({ keepAlive: true })
  const asked: Asked[] = []
  const charged = new Map<number, { answered: number; unanswered: number }>()
  let isOver = false

  async function ask(organization: FleetOrganization, turn: number): Promise<void> {
    const all = servers()
    const server = all[(turn + organization.id) % all.length]!
    const { operation, path, isCharge, isFull } = operationOf(organization, turn)
    const limited = isLimited(organization)
    const count = charged.get(organization.id)!
    if (isCharge) count.unanswered += 1
    const sentAt = performance.now()
    const answer = await get(agent, server + PREFIX + path, organization.key)
    const tookMs = performance.now() - sentAt
    const verdict = read(answer, isFull)
    if (isCharge && verdict.status === 200) {
      count.unanswered -= 1
      count.answered += 1
    } else if (isCharge && verdict.status > 0) {
      // A request that was refused is not charged.
      count.unanswered -= 1
    }
    const { id } = organization
    asked.push({ organization: id, operation, isLimited: limited, sentAt, tookMs, ...verdict })
  }

  async function caller(organization: FleetOrganization, number: number): Promise<void> {
    charged.set(organization.id, { answered: 0, unanswered: 0 })
    await wait((number / organizations.length) * PACE_MS)
    // Organizations start with different operations, so every operation is requested at any time.
    for (let turn = number; !isOver; turn += 1) {
      const next = wait(PACE_MS)
      await ask(organization, turn)
      await next
    }
  }

  const callers = Promise.all(organizations.map(caller))
  return {
    asked,
    charged,
    async stop() {
      isOver = true
      await callers
      agent.destroy()
    },
  }
}

type Asking = {
  operation: string
  path: string
  isCharge: boolean
  isFull(result: Json): boolean
}

function operationOf({ objects }: FleetOrganization, turn: number): Asking {
  const { van, truck } = objects
  switch (turn % 4) {
    case 0:
      return {
        operation: 'detail',
        path: `/objects/${van}`,
        isCharge: true,
        isFull: (object) => object.latitude !== null,
      }
    case 1:
      return {
        operation: 'latest',
        path: `/positions/latest?ids=${van},${truck}`,
        isCharge: true,
        isFull: (rows) => rows.length === 2 && rows[0].latitude !== null,
      }
    case 2:
      return {
        operation: 'history',
        path: `/objects/${van}/positions?from_time=2000-01-01&to_time=2100-01-01&limit=100`,
        isCharge: true,
        isFull: (rows) => rows.length > 0,
      }
    default:
      return {
        operation: 'list',
        path: '/objects',
        isCharge: false,
        isFull: (all) => all.length >= 4 && all[0].latitude !== null,
      }
  }
}

type Answered = { status: number; retryAfter: string | undefined; text: string }

function get(agent: Agent, url: string, key: string): Promise<Answered> {
  return new Promise((resolve) => {
    const failed = (error: Error) =>
      resolve({ status: 0, retryAfter: undefined, text: String(error) })
    const sent = httpRequest(url, { agent, headers: { 'x-api-key': key } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('error', failed)
      answer.on('end', () => {
        resolve({ status: answer.statusCode!, retryAfter: answer.headers['retry-after'], text })
      })
    })
    sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error('no answer')))
    sent.on('error', failed).end()
  })
}

/** While a part is down, only a 200 with its envelope or a 503 with Retry-After is correct. */
function read(
  { status, retryAfter, text }: Answered,
  isFull: (result: Json) => boolean,
): Pick<Asked, 'status' | 'fault' | 'isFull'> {
  if (status === 0) return { status, fault: text, isFull: false }
  let body: Json
  try {
    body = JSON.parse(text)
  } catch {
    return { status, fault: `no JSON: ${text.slice(0, 100)}`, isFull: false }
  }
  if (status === 200) {
    const isEnveloped = body.statusCode === 200 && body.result !== undefined
    const fault = isEnveloped ? undefined : `no envelope: ${text.slice(0, 100)}`
    return { status, fault, isFull: isEnveloped && isFull(body.result) }
  }
  const isOutage =
    status === 503 && body.errorCode === 'ERR999' && /^[1-9]\d*$/.test(retryAfter ?? '')
  return { status, fault: isOutage ? undefined : text.slice(0, 200), isFull: false }
}

/** Answers during a period. */
export type Figures = {
  requests: number
  statuses: Record<number, number>
  /** 200s with incomplete data. */
  partial: number
  faults: string[]
  p50: number
  p99: number
  slowest: number
}

export function figuresOf(asked: readonly Asked[]): Figures {
  const times = asked.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const at = (part: number) => Math.round((times[Math.floor(part * times.length)] ?? 0) * 10) / 10
  const statuses: Record<number, number> = {}
  for (const { status } of asked) statuses[status] = (statuses[status] ?? 0) + 1
  return {
    requests: asked.length,
    statuses,
    partial: asked.filter(({ status, isFull }) => status === 200 && !isFull).length,
    faults: asked.flatMap(({ fault }) => fault ?? []),
    p50: at(0.5),
    p99: at(0.99),
    slowest: at(1 - Number.EPSILON),
  }
}
