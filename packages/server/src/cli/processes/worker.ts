import cluster from 'node:cluster'
import { once } from 'node:events'
import { openDeployment } from '../../compose.ts'
import { systemClock } from '../../domain/time/time.ts'
import type { Server } from '../../serve.ts'
import { EXIT, report } from '../failure.ts'
import { renewCertificate, serveDeployment } from '../serve/serve-deployment.ts'
import type { ServeRequest } from '../serve/serve-options.ts'
import { openServerLog } from '../serve/server-log.ts'
import { endInTime, openStopSignal } from './stop-signal.ts'
import type { Question, WorkerAnswer, WorkerLeft, WorkerStarted } from './workers.ts'

/** The life of a worker, one of the processes that share the ports. */
export async function workUntilStopped(asked: ServeRequest): Promise<never> {
  // The channel to the primary would keep the process alive.
  process.exit(await work(asked).then(() => EXIT.done, report))
}

async function work({ options, location }: ServeRequest): Promise<void> {
  const stop = openStopSignal()
  // A terminal that is closed sends SIGHUP to all processes. The primary stops this one then.
  let renew = (): void => undefined
  process.on('SIGHUP', () => renew())
  let code: number = EXIT.failed
  await using opened = new AsyncDisposableStack()
  const log = openServerLog((lines) => process.stdout.write(lines))
  opened.defer(log.flush)
  const deployment = await openDeployment(location, systemClock, log.logger)
  opened.defer(deployment.close)
  const server = await serveDeployment(options, deployment, systemClock, log.logger)
  opened.defer(server.stop)
  renew = () => renewCertificate(server, options, log.logger)
  opened.defer(() => endInTime(deployment, code))
  opened.defer(() => leave(server))
  opened.defer(server.drain)
  const isEmpty = (await deployment.store.organizations.list()).length === 0
  process.on('message', (question: Question) => {
    // A caller without an answer goes on without it.
    const failed = (error: Error) => log.logger.error({ err: error }, error.message)
    void answer(question, server).then(send, failed)
  })
  send({ begun: { api: server.api, feed: server.feed, isEmpty } })
  await stop.asked
  code = EXIT.done
}

/** Sends this process's counters to the primary. Resolves when the primary has read them. */
async function leave({ metrics }: Server): Promise<void> {
  send({ left: await metrics.json() })
  if (!process.connected) return
  const left = once(process, 'disconnect')
  cluster.worker!.disconnect()
  await left
}

async function answer({ id, ask }: Question, server: Server): Promise<WorkerAnswer> {
  return { id, answer: ask === 'ready' ? server.isReady() : await server.metrics.json() }
}

function send(message: WorkerAnswer | WorkerStarted | WorkerLeft): void {
  // If the primary no longer listens it has ended, and this process ends too.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}
