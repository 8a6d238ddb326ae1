import { setTimeout as wait } from 'node:timers/promises'
import { request } from './client.ts'
import { resultOf } from './envelope.ts'
import type { FleetOrganization } from './fleet.ts'
import { IDENTS } from './fleet-data.ts'
import { FEED_PREFIX } from './sender.ts'

const START = Date.parse('2025-05-01T00:00:00Z')
const BATCH = 20
const PACE_MS = 200

export type SteadyFeed = {
  /** The number of acknowledged rows of each organization: its truck's, one second apart. */
  readonly acknowledged: Map<number, number>
  readonly refusals: {
    organization: number
    at: number
    status: number
    fault: string | undefined
  }[]
  stop(): Promise<void>
}

/** The times of the first `count` fixes of a truck. */
export function momentsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => new Date(START + i * 1000).toISOString())
}

/**
 * Sends batches of each organization's truck continuously. Repeats an unacknowledged batch until the server
 * acknowledges it, as a tracker does; some of its rows may be stored already.
 */
export function steadyFeed(
  server: () => string,
  organizations: readonly FleetOrganization[],
): SteadyFeed {
  const acknowledged = new Map<number, number>()
  const refusals: SteadyFeed['refusals'] = []
  let isOver = false

  async function sendBatch(organization: FleetOrganization): Promise<void> {
    const from = acknowledged.get(organization.id)!
    const rows = Array.from({ length: BATCH }, (_, i) => rowAt(from + i))
    const options = {
      method: 'POST',
      headers: { 'x-feed-token': organization.feedToken },
      body: JSON.stringify(rows),
    }
    const answer = await request(server(), `${FEED_PREFIX}/positions`, options).catch(
      () => undefined,
    )
    if (answer?.status === 200) {
      const { stored, duplicate } = resultOf(answer)
      if (stored + duplicate !== BATCH) throw new Error(answer.text)
      acknowledged.set(organization.id, from + BATCH)
      return
    }
    const isOutage = answer?.status === 503 && answer.headers['retry-after'] !== undefined
    const fault = isOutage ? undefined : (answer?.text ?? 'no answer')
    const status = answer?.status ?? 0
    refusals.push({ organization: organization.id, at: performance.now(), status, fault })
  }

  async function sender(organization: FleetOrganization): Promise<void> {
    acknowledged.set(organization.id, 0)
    while (!isOver) {
      const next = wait(PACE_MS)
      await sendBatch(organization)
      await next
    }
  }

  const senders = Promise.all(organizations.map(sender))
  return {
    acknowledged,
    refusals,
    async stop() {
      isOver = true
      await senders
    },
  }
}

function rowAt(index: number) {
  return {
    ident: IDENTS.truck,
    time_device: START + index * 1000,
    latitude: Number((41 + (index % 1000) * 1e-4).toFixed(7)),
    longitude: 29,
    speed: 40,
  }
}
