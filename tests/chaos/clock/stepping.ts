import { setTimeout as wait } from 'node:timers/promises'
import type { Tenant } from '../../../bench/tenants.ts'
import type { Random } from '../../../packages/server/testing/random.ts'
import { request } from '../../acceptance/harness/client.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import type { FakeClock } from './fake-clock.ts'
import type { Asked } from './window-judge.ts'

/** The answers to organizations while the clock was stepped. */
export type Stepped = {
  /** `performance.now()` of each step. */
  steps: number[]
  /** One list for each organization. */
  asked: Asked[][]
  /** Answers other than a 200 or a 429, and requests without an answer. */
  faults: string[]
}

const HOUR_S = 3_600
/** More than a window between two steps, so that the effect of each step is visible. */
const BETWEEN_MS = [10_500, 13_000] as const
/** More requests than any window admits. */
const PACE_MS = 250

/** Steps the clock an hour back or forth repeatedly, while each organization sends requests. */
export async function stepUnderLoad(
  clock: FakeClock,
  servers: readonly string[],
  tenants: readonly Tenant[],
  count: number,
  random: Random,
): Promise<Stepped> {
  const stepped: Stepped = { steps: [], asked: [], faults: [] }
  let isOver = false

  async function ask(tenant: Tenant, turn: number): Promise<Asked | undefined> {
    const server = servers[turn % servers.length]!
    const headers = { 'x-api-key': tenant.key }
    const sentAt = performance.now()
    try {
      const { status, text } = await request(server, `${PREFIX}/objects/${tenant.object}`, {
        headers,
      })
      if (status !== 200 && status !== 429) stepped.faults.push(`${status}: ${text}`)
      return { sentAt, answeredAt: performance.now(), isAdmitted: status !== 429 }
    } catch (error) {
      stepped.faults.push(`${error}`)
      return undefined
    }
  }

  async function caller(tenant: Tenant): Promise<void> {
    const mine: Asked[] = []
    stepped.asked.push(mine)
    for (let turn = 0; !isOver; turn++) {
      const next = wait(PACE_MS)
      const asked = await ask(tenant, turn)
      if (asked !== undefined) mine.push(asked)
      await next
    }
  }

  async function step(): Promise<void> {
    let ahead = 0
    for (let i = 0; i < count; i++) {
      await wait(random.between(...BETWEEN_MS))
      // An hour in either direction, and at most one hour from the right time.
      ahead = ahead === 0 ? random.pick([-HOUR_S, HOUR_S]) : 0
      clock.set(ahead)
      stepped.steps.push(performance.now())
    }
    await wait(BETWEEN_MS[0])
    clock.set(0)
    isOver = true
  }

  await Promise.all([step(), ...tenants.map(caller)])
  return stepped
}
