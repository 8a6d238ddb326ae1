import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildServer } from './child-server.ts'
import { type Connection, connect } from './connection.ts'

export type OpenLoop = {
  /** Of each request with status 200: from the moment it was due to its last byte. */
  latenciesMs: number[]
  others: number
}

const INTERVAL_MS = 5

/**
 * Sends a request each 5 ms, answered or not, until it is aborted. A latency counts from when the
 * request was due, so that a server that stands still for a while is charged for all that waited.
 */
export async function openLoop(
  server: ChildServer,
  next: () => Buffer,
  signal: AbortSignal,
): Promise<OpenLoop> {
  const result: OpenLoop = { latenciesMs: [], others: 0 }
  const idle: Connection[] = []
  const underWay = new Set<Promise<void>>()

  async function send(dueAt: number): Promise<void> {
    const connection = idle.pop() ?? (await connect(server.port))
    const status = await new Promise<number>((resolve) => connection.send(next(), resolve))
    idle.push(connection)
    if (status === 200) result.latenciesMs.push(performance.now() - dueAt)
    else result.others++
  }

  let dueAt = performance.now()
  while (!signal.aborted) {
    for (; dueAt <= performance.now(); dueAt += INTERVAL_MS) {
      const sending = send(dueAt).finally(() => underWay.delete(sending))
      underWay.add(sending)
    }
    await sleep(Math.max(0, dueAt - performance.now()))
  }
  await Promise.all(underWay)
  for (const connection of idle) connection.close()
  return result
}
