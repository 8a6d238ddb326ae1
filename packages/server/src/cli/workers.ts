import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { waitUnlessAborted } from '../upkeep/wait.ts'
import { say } from './failure.ts'
import type { Answer, Answers, Begun, Question } from './worker-messages.ts'

/** A process that does not answer for so long is too busy to serve. */
const ANSWER_WITHIN_MS = 1_000
/** Before one that ended is replaced: doubled with each that ends soon after its start. */
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
const SOON_MS = 60_000

/** The processes that share the ports. */
export type Workers = {
  /** Starts one, and another whenever that ends. Rejects with `WorkerEnded` where it never served. */
  start(): Promise<Begun['begun']>
  /** What each answers, by its number, of those that do. */
  ask<Asked extends keyof Answers>(what: Asked): Promise<Map<number, Answers[Asked]>>
  /** Has all finish what is in flight, and ends when they have. */
  stop(): Promise<void>
}

/** It has said on stderr why. */
export class WorkerEnded extends Error {
  override name = 'WorkerEnded'
  readonly code: number

  constructor(code: number) {
    super('a process ended before it served')
    this.code = code
  }
}

export type WorkerEvents = {
  /** Its stdout is a pipe to be read. */
  started(worker: Worker): void
  /** Called once it is gone, with its number. */
  ended(number: number): void
}

export function openWorkers({ started, ended }: WorkerEvents): Workers {
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const kept: Promise<void>[] = []
  const stopping = new AbortController()
  const { signal } = stopping

  /** Keeps one process going. `first` hears how the first one begins. */
  async function keep(first: PromiseWithResolvers<Begun['begun']>): Promise<void> {
    let pauseMs = SHORTEST_PAUSE_MS
    while (!signal.aborted) {
      const startedAt = performance.now()
      const worker = cluster.fork()
      const gone = once(worker, 'exit')
      started(worker)
      worker.once('message', ({ begun }: Begun) => first.resolve(begun))
      const [code, killed] = await gone
      ended(worker.id)
      first.reject(new WorkerEnded(code ?? 1))
      if (signal.aborted || (await isRejected(first.promise))) return
      if (performance.now() - startedAt > SOON_MS) pauseMs = SHORTEST_PAUSE_MS
      say(
        `process ${worker.process.pid} ended with ${killed ?? `exit code ${code}`}; another takes its place in ${pauseMs / 1000} s`,
      )
      await waitUnlessAborted(pauseMs, signal)
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    }
  }

  return {
    start() {
      const first = Promise.withResolvers<Begun['begun']>()
      kept.push(keep(first))
      return first.promise
    },
    async ask(what) {
      const workers = Object.values(cluster.workers ?? {}).filter((each) => each !== undefined)
      const answers = await Promise.all(workers.map((worker) => askOne(worker, what)))
      return new Map(answers.flat())
    },
    async stop() {
      stopping.abort()
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
      await Promise.all(kept)
    },
  }
}

function isRejected(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  )
}

let questions = 0

/** Its number and its answer; nothing where it does not answer in time. */
async function askOne<Asked extends keyof Answers>(
  worker: Worker,
  ask: Asked,
): Promise<[number, Answers[Asked]][]> {
  const question: Question = { id: ++questions, ask }
  const { promise, resolve } = Promise.withResolvers<[number, Answers[Asked]][]>()
  const hear = ({ id, answer }: Answer) => {
    if (id === question.id) resolve([[worker.id, answer as Answers[Asked]]])
  }
  const giveUp = () => resolve([])
  const timer = setTimeout(giveUp, ANSWER_WITHIN_MS)
  worker.on('message', hear)
  worker.once('exit', giveUp)
  // A channel that is closed already: the process is about to be gone.
  worker.send(question, (error) => error && giveUp())
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', hear)
    worker.off('exit', giveUp)
  })
}
