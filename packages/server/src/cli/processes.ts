import cluster from 'node:cluster'
import manifest from '../../package.json' with { type: 'json' }
import type { AdminListener } from '../admin/listener.ts'
import { openSummedMetrics } from '../admin/summed-metrics.ts'
import { say } from './failure.ts'
import { greet } from './greeting.ts'
import { holdOutput } from './held-output.ts'
import { relayLines } from './line-relay.ts'
import { placeOf } from './location.ts'
import { originOf, warnOfPlainHttp } from './origin.ts'
import type { Asked } from './serve.ts'
import { isSecure, openAdmin } from './serve-deployment.ts'
import { stopSignal } from './stop-signal.ts'
import { workUntilStopped } from './worker.ts'
import { openWorkers, WorkerEnded } from './workers.ts'

/** The whole life of a server of several processes, in the one that holds them and in each of them. */
export async function serveByProcesses(asked: Asked): Promise<void> {
  if (cluster.isWorker) return workUntilStopped(asked)
  try {
    await holdProcesses(asked)
  } catch (error) {
    if (!(error instanceof WorkerEnded)) throw error
    process.exitCode = error.code
  }
}

/** Shares the ports out, and speaks for all: to the terminal and on the operator's listener. */
async function holdProcesses({ options, location }: Asked): Promise<void> {
  const isTls = isSecure(options)
  const asked = stopSignal()
  await using opened = new AsyncDisposableStack()
  const output = holdOutput((lines) => process.stdout.write(lines))
  opened.defer(output.open)
  const workers = openWorkers({
    started: (worker) => relayLines(worker.process.stdout!, output.write),
    ended: (number) => metrics.ended(number),
  })
  const metrics = openSummedMetrics(() => workers.ask('metrics'))
  let stopping = false

  async function isReady(): Promise<boolean> {
    if (stopping) return false
    const ready = [...(await workers.ask('ready')).values()]
    return ready.length === options.processes && ready.every(Boolean)
  }

  let admin: AdminListener | undefined
  opened.defer(() => admin?.close())
  opened.defer(workers.stop)
  // One first: it brings the database up to date, and tells once what keeps all from starting.
  const first = await workers.start()
  await Promise.all(Array.from({ length: options.processes - 1 }, workers.start))
  admin = await openAdmin({ metrics, isReady }, options)
  warnOfPlainHttp(first.api, isTls)
  greet(
    {
      version: manifest.version,
      ...placeOf(location),
      api: first.api && originOf(first.api, isTls),
      feed: first.feed && originOf(first.feed, isTls),
      admin: originOf(admin.address, false),
      isEmpty: first.isEmpty,
      demo: undefined,
    },
    options.json === true,
  )
  output.open()
  await asked
  stopping = true
  say('stopping: no new connections, requests in flight are finished')
}
