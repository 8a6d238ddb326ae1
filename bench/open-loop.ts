import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildServer } from './child-server.ts'
import { connect } from './connection.ts'

export type OpenLoop = {
  /** For each request with status 200: from its due time to the last byte. */
  latenciesMs: number[]
  /** How much later than due the client handled each request, with or without an idle connection. */
  latenessesMs: number[]
  others: number
}

/** Milliseconds between two requests: 200 a second. */
export const INTERVAL_MS = 5
/** A request that finds all connections busy waits for one, and the wait counts. */
const CONNECTIONS = 64

/**
 * Sends a request every 5 ms, answered or not, until it is aborted. A latency starts at the due time of the
 * request, so a pause of the server counts for all waiting requests.
 */
export async function openLoop(
  server: Pick<ChildServer, 'port'>,
  next: () => Buffer,
  signal: AbortSignal,
): Promise<OpenLoop> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => connect(server.port)),
  )
  const result: OpenLoop = { latenciesMs: [], latenessesMs: [], others: 0 }
  const idle = [...connections]
  const due: number[] = []
  let allAnswered = () => {}

  function send(): void {
    while (due.length > 0 && idle.length > 0) {
      // The connection that was idle longest, so that the server closes none for idleness.
      const connection = idle.shift()!
      const dueAt = due.shift()!
      connection.send(next(), (status) => {
        if (status === 200) result.latenciesMs.push(performance.now() - dueAt)
        else result.others++
        idle.push(connection)
        send()
        if (idle.length === CONNECTIONS) allAnswered()
      })
    }
  }

  let dueAt = performance.now()
  while (!signal.aborted) {
    for (const now = performance.now(); dueAt <= now; dueAt += INTERVAL_MS) {
      due.push(dueAt)
      result.latenessesMs.push(now - dueAt)
    }
    send()
    await sleep(Math.max(0, dueAt - performance.now()))
  }
  if (idle.length < CONNECTIONS) {
    await new Promise<void>((resolve) => {
      allAnswered = resolve
    })
  }
  for (const connection of connections) connection.close()
  return result
}
