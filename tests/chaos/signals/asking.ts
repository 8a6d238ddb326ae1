import { setTimeout as wait } from 'node:timers/promises'
import { type Random, seeded } from '../../../packages/server/testing/random.ts'
import type { Answer } from './answers.ts'
import { type Connection, connect, type Received, type Sent } from './connection.ts'
import type { Caller } from './fleet.ts'
import type { Load } from './loads.ts'

/** The result of the bytes that one client sent at once. Moments are of `performance.now()`. */
export type Asked = {
  load: string
  /** When its connection was made, and when it was last used before. */
  madeAt: number
  usedAt: number
  /** The request time of the history whose answer arrived last on it; undefined if there was none. */
  historyAskedAt: number | undefined
  sentAt: number
  requests: number
  /** Complete and right answers. */
  answered: number
  /**
   * `none`: no byte of at least one answer arrived; `cut`: some did; `wrong`: all did, but with wrong content.
   */
  outcome: 'answered' | 'none' | 'cut' | 'wrong'
  /** A description of the fault. */
  fault: string | undefined
}

export type Asking = {
  /** The ports of the listeners. */
  ports: { api: number; feed: number }
  callers: readonly Caller[]
  seed: number
  /** Called after each answer: whether clients should end. */
  isOver(): boolean
  /** Called if no connection could be made. Returns whether the client tries again. */
  refused(load: Load, error: Error): boolean
  /** Called with each result. */
  onResult(asked: Asked): void
}

/** Runs all clients of some loads continuously, each as a separate caller if there are enough. */
export async function askOn(asking: Asking, loads: readonly Load[]): Promise<void> {
  const clients = loads.flatMap((load) => Array.from({ length: load.clients }, () => load))
  // Callers with a history come first.
  const ordered = clients.toSorted((a, b) => Number(b.ofHistory) - Number(a.ofHistory))
  await Promise.all(
    ordered.map((load, i) => {
      const caller = asking.callers[i % asking.callers.length]!
      return askAs(asking, load, caller, seeded('client', asking.seed, i))
    }),
  )
}

async function askAs(asking: Asking, load: Load, caller: Caller, random: Random): Promise<void> {
  let connection: Connection | undefined
  let last: Asked | undefined
  while (!asking.isOver()) {
    if (connection === undefined || !connection.isOpen()) {
      last = undefined
      try {
        connection = await connect(asking.ports[load.listener])
      } catch (error) {
        if (asking.refused(load, error as Error)) continue
        return
      }
    }
    const thinkMs = load.thinkMs(random)
    if (thinkMs > 0) await wait(thinkMs)
    // The server closed it while it was idle, which is allowed: nothing was sent on it.
    if (!connection.isOpen()) continue
    const { madeAt, usedAt } = connection
    const sentAt = performance.now()
    const sent = load.next(caller, random)
    const received = await connection.send(sent)
    const historyAskedAt = load.ofHistory ? last?.sentAt : undefined
    const times = { madeAt, usedAt, sentAt, historyAskedAt }
    last = { load: load.name, ...times, ...judged(load, caller, sent, received) }
    asking.onResult(last)
    if (load.isNew || received.answers.some((each) => each.endsConnection)) connection.close()
  }
  connection?.close()
}

function judged(
  load: Load,
  caller: Caller,
  { count }: Sent,
  { answers, isCut, failure }: Received,
): Pick<Asked, 'requests' | 'answered' | 'outcome' | 'fault'> {
  const faults = answers.flatMap((answer) => faultOf(load, answer, caller) ?? [])
  const lack = answers.length === count ? 'answered' : isCut ? 'cut' : 'none'
  return {
    requests: count,
    answered: answers.length - faults.length,
    outcome: faults.length > 0 ? 'wrong' : lack,
    fault: faults[0] ?? failure ?? (lack === 'answered' ? undefined : 'the connection was ended'),
  }
}

function faultOf(load: Load, answer: Answer, caller: Caller): string | undefined {
  try {
    return load.judge(answer, caller)
  } catch (error) {
    return `not whole: ${error}`
  }
}
