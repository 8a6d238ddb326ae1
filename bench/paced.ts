import { setTimeout as pause } from 'node:timers/promises'
import { countObjects } from './answered-rows.ts'
import type { Tenant } from './tenants.ts'

/** Milliseconds from a request to the last byte of its answer, which must have this many JSON objects. */
export type Ask = (tenant: Tenant, path: string, objects: number) => Promise<number>

const ADMITTED = 10
/** A little more than the server's window, whose clock started later. */
const WINDOW_MS = 10_050

/** Sends one request after the other, each as soon as its organization may. */
export function paced(port: number): Ask {
  const answered = new Map<Tenant, number[]>()

  async function untilAdmitted(tenant: Tenant): Promise<number[]> {
    const times = answered.get(tenant) ?? []
    answered.set(tenant, times)
    const oldest = times.at(-ADMITTED)
    if (oldest !== undefined) await pause(Math.max(0, oldest + WINDOW_MS - performance.now()))
    return times
  }

  return async (tenant, path, expected) => {
    const times = await untilAdmitted(tenant)
    const { objects, took } = await timed(port, path, tenant.key)
    times.push(performance.now())
    if (objects !== expected) throw new Error(`${objects} objects, not ${expected}, to ${path}`)
    return took
  }
}

async function timed(
  port: number,
  path: string,
  key: string,
  isAgain = false,
): Promise<{ objects: number; took: number }> {
  const begun = performance.now()
  try {
    const { objects } = await countObjects(port, path, { 'x-api-key': key })
    return { objects, took: performance.now() - begun }
  } catch (error) {
    // A server may close an idle connection at the moment of its next use.
    if (isAgain || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    return timed(port, path, key, true)
  }
}
