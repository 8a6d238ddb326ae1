import cluster from 'node:cluster'
import manifest from '../../../package.json' with { type: 'json' }
import type { AdminListener } from '../../admin/listener.ts'
import { openSummedMetrics } from '../../admin/summed-metrics.ts'
import { checkDeployment } from '../../compose.ts'
import { systemClock } from '../../domain/time/time.ts'
import { openListenerLogs } from '../../http/listener-log.ts'
import { say } from '../failure.ts'
import { shownLocation } from '../location.ts'
import { originOf, plainHttpWarnings } from '../serve/console-options.ts'
import { greet } from '../serve/greeting.ts'
import { consoleLink, openConsole } from '../serve/open-console.ts'
import { isSecure, openAdmin } from '../serve/serve-deployment.ts'
import type { ServeRequest } from '../serve/serve-options.ts'
import { endUnread, logOutput, openServerLog, relayLines } from '../serve/server-log.ts'
import { holdOutput } from '../terminal.ts'
import { openHangUp, openStopSignal } from './stop-signal.ts'
import { workUntilStopped } from './worker.ts'
import { openWorkers, WorkerEnded, type Workers } from './workers.ts'

/** The life of a server with several processes: of the primary and of each worker. */
export async function serveByProcesses(asked: ServeRequest): Promise<void> {
  if (cluster.isWorker) return workUntilStopped(asked)
  try {
    await holdProcesses(asked)
  } catch (error) {
    if (!(error instanceof WorkerEnded)) throw error
    process.exitCode = error.code
  }
}

/** The primary starts the workers, talks to the terminal and runs the operator's listener. */
async function holdProcesses({ options, location }: ServeRequest): Promise<void> {
  const isTls = isSecure(options)
  const stop = openStopSignal()
  const onHangUp = openHangUp()
  await using opened = new AsyncDisposableStack()
  opened.defer(() => endUnread(process.stdout))
  const output = holdOutput(logOutput(process.stdout))
  opened.defer(output.open)
  const workers = openWorkers({
    started: (worker) => relayLines(worker.process.stdout!, output.write),
    left: (number, counted) => metrics.reported(number, counted),
    ended: (number) => metrics.ended(number),
  })
  const metrics = openSummedMetrics(() => workers.ask('metrics'))
  const log = openServerLog(output.write)
  opened.defer(log.flush)
  const logOf = openListenerLogs(log.logger.line, metrics.registry, systemClock)
  let stopping = false

  async function isReady(): Promise<boolean> {
    if (stopping) return false
    const ready = [...(await workers.ask('ready')).values()]
    // A process that is being replaced is not ready; its successor is.
    return ready.filter(Boolean).length >= options.processes
  }

  let admin: AdminListener | undefined
  let console: Awaited<ReturnType<typeof openConsole>> | null = null
  // The operator can watch the drain.
  opened.defer(() => console?.close())
  opened.defer(() => admin?.close())
  opened.defer(workers.stop)
  // The primary runs the console itself.
  const all = options.processes + Number(options.role.includes('admin'))
  const warnings = await checkDeployment(location, all)
  // Start one worker first: it migrates the database, and reports once what would stop all of them.
  const first = await workers.start()
  await Promise.all(Array.from({ length: options.processes - 1 }, workers.start))
  if (options.role.includes('admin')) {
    console = await openConsole(location, options, first, log.logger, metrics.registry)
  }
  admin = await openAdmin({ metrics, isReady }, console?.api ?? null, logOf, options)
  for (const warning of [...warnings, ...plainHttpWarnings(first.api, isTls)]) say(warning)
  greet(
    {
      version: manifest.version,
      ...shownLocation(location),
      api: first.api && originOf(first.api, isTls),
      feed: first.feed && originOf(first.feed, isTls),
      admin: originOf(admin.address, false),
      console: console && (await consoleLink(console.api, admin, systemClock)),
      isEmpty: first.isEmpty,
      demo: undefined,
    },
    options.json === true,
  )
  output.open()
  onHangUp({ asked: replacer(workers), closed: stop.ask })
  await stop.asked
  stopping = true
  say('stopping: no new connections, requests in flight are finished')
}

/** Replaces the workers one after the other, so that they read files again. */
function replacer({ replace }: Workers): () => void {
  let replaced = Promise.resolve()

  async function replaceAll(): Promise<void> {
    try {
      say('replacing the processes, one after the other')
      await replace()
      say('the processes are replaced')
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error
      say('a new process ended before it served: the old ones keep serving')
    }
  }

  return () => {
    replaced = replaced.then(replaceAll)
  }
}
