import { Counter, type Registry } from 'prom-client'
import type { Logger } from '../base/http/listener-log.ts'
import { QuotaUnavailable, WindowUnavailable } from '../data/live/realtime.ts'
import { type Wait, waitUnlessAborted } from '../engine/repeat.ts'
import { StoreUnavailable } from '../engine/store/store.ts'
import { DamagedPositions } from '../engine/tracking/work.ts'
import type { Parts } from './serve-settings.ts'

/** A part of the deployment whose outage fails many requests and tasks at once. */
type SharedPart = {
  name: 'store' | 'limits'
  isDown(error: unknown): boolean
  advice: string
  /** Rejects while the part is down. Without it, an outage is over when nothing has failed for a while. */
  probe?(): Promise<unknown>
}

/** An outage is over when nothing has failed for this time. */
const QUIET_MS = 10_000
const PROBE_EVERY_MS = 1_000

export type OutageLog = {
  /** Logs the first failure of an outage from each cause, counts the others, and logs the end. Other errors are logged as they are. */
  logger: Logger
  close(): void
}

type OutageParts = Pick<Parts, 'store' | 'clock' | 'logger'>

/** The one place that recognizes outages, because the errors of all requests and tasks come to the log. */
export function openOutageLog(
  { store, clock, logger }: OutageParts,
  registry: Registry,
  wait: Wait = waitUnlessAborted,
): OutageLog {
  const closing = new AbortController()
  const failures = failureCounter(registry)
  const parts = sharedParts(store)
  const countDamage = damageCounter(registry)
  const outages = new Map<SharedPart, Outage>()

  function failed(part: SharedPart, fields: { err?: unknown }, message: string): void {
    const kind = 'request_id' in fields ? 'requests' : 'tasks'
    failures.inc({ part: part.name, failed: kind })
    const now = clock.monotonic()
    const known = outages.get(part)
    const outage = known ?? {
      requests: 0,
      tasks: 0,
      beganUs: now,
      failedUs: now,
      causes: new Set(),
    }
    outage[kind] += 1
    outage.failedUs = now
    if (known === undefined) {
      outages.set(part, outage)
      void follow(part, outage)
    }
    const why = (fields.err as Error).message.replace(/\.$/, '')
    const cause = causeOf(why)
    if (outage.causes.has(cause)) return
    outage.causes.add(cause)
    const task = kind === 'tasks' ? { task: message } : {}
    logger.error(
      { ...fields, ...task, part: part.name },
      `${why}. ${part.advice}. Further failures are counted until it answers again`,
    )
  }

  async function follow(part: SharedPart, outage: Outage): Promise<void> {
    const { signal } = closing
    while (!signal.aborted) {
      await wait(PROBE_EVERY_MS, signal)
      if (signal.aborted) return
      const isUp = await answers(part)
      const now = clock.monotonic()
      if (!isUp) outage.failedUs = now
      if (now - outage.failedUs >= QUIET_MS * 1_000) break
    }
    if (signal.aborted) return
    outages.delete(part)
    logger.line(endOf(part, outage))
  }

  return {
    logger: {
      line: logger.line,
      error(fields, message) {
        const { err } = fields as { err?: unknown }
        if (err instanceof DamagedPositions) countDamage(err)
        const part = parts.find(({ isDown }) => isDown(err))
        if (part === undefined) logger.error(fields, message)
        else failed(part, fields, message)
      },
    },
    close: () => closing.abort(),
  }
}

function sharedParts(store: Parts['store']): readonly SharedPart[] {
  return [
    {
      name: 'store',
      isDown: (error) => error instanceof StoreUnavailable,
      advice: 'Check the database and the connection to it, or the disk of the data folder',
      probe: () => store.organizations.find(0),
    },
    {
      name: 'limits',
      isDown: (error) => error instanceof QuotaUnavailable || error instanceof WindowUnavailable,
      advice: 'Check Redis and the connection to it, or the disk of the data folder',
    },
  ]
}

/** Whether a part answers, as far as it can be asked. */
async function answers({ probe }: SharedPart): Promise<boolean> {
  return (
    (await probe?.().then(
      () => true,
      () => false,
    )) ?? true
  )
}

/** The line of the log about the end of an outage. */
function endOf({ name }: SharedPart, { requests, tasks, beganUs, failedUs }: Outage): string {
  const ms = Math.round((failedUs - beganUs) / 1_000)
  return (
    `"part":"${name}","down_ms":${ms},"requests":${requests},"tasks":${tasks}` +
    `,"msg":"${name === 'store' ? 'the store answers again' : 'limits are counted again'}"`
  )
}

function failureCounter(registry: Registry): Counter<'part' | 'failed'> {
  return new Counter({
    name: 'fleetgate_outage_failures_total',
    help: 'Requests and tasks that failed because a part of the deployment was down.',
    labelNames: ['part', 'failed'],
    registers: [registry],
  })
}

/** Counts blocks of positions that a request or a task found damaged: each once. */
function damageCounter(registry: Registry): (damaged: DamagedPositions) => void {
  const counter = new Counter({
    name: 'fleetgate_damaged_blocks_total',
    help: 'Blocks of positions that requests and tasks found damaged, each once since the start.',
    registers: [registry],
  })
  const found = new Set<string>()
  return ({ range: { organization, object, first } }) => {
    const name = `${organization}/${object}/${first}`
    if (!found.has(name)) counter.inc()
    found.add(name)
  }
}

/** The failures of an outage so far, and the time of the first and the last, in microseconds. */
type Outage = {
  requests: number
  tasks: number
  beganUs: number
  failedUs: number
  causes: Set<string>
}

/** One outage of PostgreSQL has several texts. A data folder whose disk was full may then turn out to be damaged. */
function causeOf(why: string): string {
  return why.includes('PostgreSQL') ? 'PostgreSQL' : why.replaceAll(/\d+/g, '')
}
