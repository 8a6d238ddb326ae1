import cluster, { type Worker } from 'node:cluster'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { waitUnlessAborted } from '../../engine/repeat.ts'
import type { ProcessMetrics } from '../../faces/admin/metrics.ts'
import { say } from '../failure.ts'

/** A process that does not answer for this long is too busy to serve. */
const ANSWER_WITHIN_MS = 1_000
/** The pause before a process is replaced. Doubled each time one ends soon after its start. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 10_000
const SOON_MS = 60_000

/**
 * The Node.js of new processes: where the path with which this one was started leads by then, like that of the program.
 * Node itself would start the file to which the path led at first, which an upgrade may have removed.
 */
const NODE = process.argv0.includes('/') ? resolve(process.argv0) : process.execPath

/** The worker processes that share the ports. */
export type Workers = {
  /** Starts a worker, and another whenever it ends. Rejects with `WorkerEnded` if it never served. */
  start(): Promise<WorkerStarted['begun']>
  /**
   * Replaces the workers one after the other. A new one serves before the old one finishes what is in flight. Rejects
   * with `WorkerEnded` if a new one never served; the remaining old ones keep serving.
   */
  replace(): Promise<void>
  /** The answers of the workers by their numbers. Busy workers are left out. */
  ask<Asked extends keyof Answers>(what: Asked): Promise<Map<number, Answers[Asked]>>
  /** Asks all workers to finish what is in flight and to end. Resolves when they have ended. */
  stop(): Promise<void>
}

export class WorkerEnded extends Error {
  override name = 'WorkerEnded'
  readonly code: number
  /** Whether it has written the reason to stderr. */
  readonly hasSaidWhy: boolean

  constructor({ code, how }: Ending) {
    super(`a new process ended with ${how} before it served`)
    this.code = code ?? 1
    this.hasSaidWhy = code !== null
  }
}

/** `code`: null of a process that a signal killed, or that could not be started. */
type Ending = { code: number | null; how: string }

type WorkerEvents = {
  /** Its stdout is a pipe for the primary to read. */
  started(worker: Worker): void
  /** The counters of a worker that has finished everything in flight, with its number. */
  left(number: number, counted: ProcessMetrics): void
  /** Called after it has ended, with its number. */
  ended(number: number): void
}

type Process = {
  worker: Worker
  startedAt: number
  /** Rejects with `WorkerEnded` if it ends first. */
  begun: Promise<WorkerStarted['begun']>
  gone: Promise<Ending>
  isEnding: boolean
}

/** A slot for a worker, whichever process fills it now. */
type Slot = { process: Process }

export function openWorkers(events: WorkerEvents): Workers {
  // Workers accept connections themselves. A connection that the primary has accepted but not handed over
  // yet would be lost if its worker was killed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const running = new Set<Process>()
  const serving = new Set<Worker>()
  const slots: Slot[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  const launch = () => fork(events, running, serving)

  /** Ask once: a second request would end it at once. */
  function end(each: Process): void {
    if (!each.isEnding) each.worker.process.kill('SIGTERM')
    each.isEnding = true
  }

  /** Starts another whenever the process in this slot ends unexpectedly. */
  async function keep(slot: Slot): Promise<void> {
    let pauseMs = MIN_PAUSE_MS
    for (;;) {
      const kept = slot.process
      const { how } = await kept.gone
      if (signal.aborted) return
      if (slot.process !== kept) continue
      if (performance.now() - kept.startedAt > SOON_MS) pauseMs = MIN_PAUSE_MS
      say(
        `process ${kept.worker.process.pid ?? 'that could not start'} ended with ${how}; another takes its place in ${pauseMs / 1000} s`,
      )
      await waitUnlessAborted(pauseMs, signal)
      if (signal.aborted) return
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
      if (slot.process === kept) slot.process = launch()
    }
  }

  return {
    async start() {
      const slot = { process: launch() }
      const begun = await slot.process.begun
      slots.push(slot)
      void keep(slot)
      return begun
    },
    async replace() {
      for (const slot of slots) {
        if (signal.aborted) return
        const successor = launch()
        await successor.begun
        const predecessor = slot.process
        slot.process = successor
        end(predecessor)
        await predecessor.gone
      }
    },
    async ask(what) {
      const answers = await Promise.all([...serving].map((worker) => askOne(worker, what)))
      return new Map(answers.flat())
    },
    async stop() {
      stopping.abort()
      for (const each of running) end(each)
      await Promise.all([...running].map(({ gone }) => gone))
    },
  }
}

/** Starts a process. It is in `running` until it has ended, and in `serving` once it serves. */
function fork(
  { started, left, ended }: WorkerEvents,
  running: Set<Process>,
  serving: Set<Worker>,
): Process {
  process.execPath = NODE
  const worker = cluster.fork()
  const gone = new Promise<Ending>((resolve) => {
    worker.once('exit', (code, killed) => resolve({ code, how: killed ?? `exit code ${code}` }))
    // It also fails for a message that could not be sent. A process that could not be started never
    // exits.
    worker.on('error', ({ message }) => {
      if (worker.process.pid === undefined) resolve({ code: null, how: `'${message}'` })
    })
  })
  const { promise: begun, resolve, reject } = Promise.withResolvers<WorkerStarted['begun']>()
  const launched = { worker, startedAt: performance.now(), begun, gone, isEnding: false }
  begun.catch(() => {})
  running.add(launched)
  started(worker)
  worker.on('message', (message: WorkerStarted | WorkerLeft | WorkerAnswer) => {
    if ('left' in message) left(worker.id, message.left)
    if (!('begun' in message)) return
    serving.add(worker)
    resolve(message.begun)
  })
  void gone.then((ending) => {
    running.delete(launched)
    serving.delete(worker)
    ended(worker.id)
    reject(new WorkerEnded(ending))
  })
  return launched
}

let questions = 0

/** Its number and its answer. Nothing if it does not answer in time. */
async function askOne<Asked extends keyof Answers>(
  worker: Worker,
  ask: Asked,
): Promise<[number, Answers[Asked]][]> {
  const question: Question = { id: ++questions, ask }
  const { promise, resolve } = Promise.withResolvers<[number, Answers[Asked]][]>()
  const hear = ({ id, answer }: WorkerAnswer) => {
    if (id === question.id) resolve([[worker.id, answer as Answers[Asked]]])
  }
  const giveUp = () => resolve([])
  const timer = setTimeout(giveUp, ANSWER_WITHIN_MS)
  worker.on('message', hear)
  worker.once('exit', giveUp)
  // The channel is closed, so the process is about to end.
  worker.send(question, (error) => error && giveUp())
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', hear)
    worker.off('exit', giveUp)
  })
}

/** A message from the primary to a worker. */
export type Answers = { ready: boolean; metrics: ProcessMetrics }

export type Question = { id: number; ask: keyof Answers }

export type WorkerAnswer = { id: number; answer: Answers[keyof Answers] }

/** Sent once, when the worker has started to serve. */
export type WorkerStarted = {
  begun: { api: AddressInfo | null; feed: AddressInfo | null; isEmpty: boolean }
}

/** Sent last, when the worker has finished everything in flight. */
export type WorkerLeft = { left: ProcessMetrics }
