import cluster from 'node:cluster'
import { once } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import type { Registry } from 'prom-client'
import manifest from '../../../package.json' with { type: 'json' }
import { inviteFirst } from '../../acts/people-bodies.ts'
import { type Clock, systemClock } from '../../base/domain/time/time.ts'
import { addressReader } from '../../base/http/client-address.ts'
import type { Logger } from '../../base/http/listener-log.ts'
import { openListenerLogs } from '../../base/http/listener-log.ts'
import { openDirectory } from '../../data/cache/directory.ts'
import { openDisclosureCounts } from '../../data/usage/disclosure-counts.ts'
import { openUsageCounts } from '../../data/usage/usage-counts.ts'
import { ChangeWatch } from '../../engine/changes/change-watch.ts'
import { repeat } from '../../engine/repeat.ts'
import type { AdminApi } from '../../faces/admin/admin-api.ts'
import { type AdminListener, openAdminApi } from '../../faces/admin/admin-listener.ts'
import { openSummedMetrics } from '../../faces/admin/metrics.ts'
import {
  checkDeployment,
  type DeploymentLocation,
  openDeployment,
  openGeocoder,
} from '../compose.ts'
import { hasConsole } from '../console-folder.ts'
import { EXIT, report, say } from '../failure.ts'
import { shownLocation } from '../location.ts'
import { openOutageLog } from '../outage-log.ts'
import type { Server } from '../serve.ts'
import { holdOutput } from '../terminal.ts'
import { greet } from './greeting.ts'
import { originOf, plainHttpWarnings, reachable } from './listener-addresses.ts'
import {
  aboutOf,
  isSecure,
  openAdmin,
  renewCertificate,
  serveDeployment,
} from './serve-deployment.ts'
import type { ServeOptions, ServeRequest } from './serve-options.ts'
import { endUnread, logOutput, openServerLog, relayLines } from './server-log.ts'
import { signOnOf } from './sign-on-options.ts'
import { endInTime, openHangUp, openStopSignal } from './stop-signal.ts'
import {
  openWorkers,
  type Question,
  type WorkerAnswer,
  WorkerEnded,
  type WorkerLeft,
  type WorkerStarted,
  type Workers,
} from './workers.ts'

/*
 * A server with several processes: what the primary and each worker do, and the console that the primary runs.
 */

/** Runs a server with several processes, as the primary or as a worker. Resolves or exits when it has stopped. */
export async function serveByProcesses(asked: ServeRequest): Promise<void> {
  if (cluster.isWorker) return workUntilStopped(asked)
  try {
    await holdProcesses(asked)
  } catch (error) {
    if (!(error instanceof WorkerEnded)) throw error
    if (!error.hasSaidWhy) say(error.message)
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
      say(`${error.message}: the old ones keep serving`)
    }
  }

  return () => {
    replaced = replaced.then(replaceAll)
  }
}

/** Runs a worker, one of the processes that share the ports. */
async function workUntilStopped(asked: ServeRequest): Promise<never> {
  // The channel to the primary would keep the process alive.
  process.exit(await work(asked).then(() => EXIT.done, report))
}

async function work({ options, location }: ServeRequest): Promise<void> {
  const stop = openStopSignal()
  // A closed terminal sends SIGHUP to all processes. The primary then stops this one.
  let renew = (): void => undefined
  process.removeAllListeners('SIGHUP').on('SIGHUP', () => renew())
  const worker = cluster.worker!
  worker.once('disconnect', () => {
    if (!worker.exitedAfterDisconnect)
      say('the primary process has ended, so this process ends too')
  })
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
    // A caller continues without an answer.
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

const WRITE_DISCLOSURES_EVERY_MS = 60_000

/** The console of several processes. The primary process runs it, and counts only what the console shows. */
async function openConsole(
  location: DeploymentLocation,
  options: ServeOptions,
  { api, feed }: WorkerStarted['begun'],
  serverLogger: Logger,
  registry: Registry,
): Promise<{ api: AdminApi; close(): Promise<void> }> {
  await using opened = new AsyncDisposableStack()
  const deployment = await openDeployment(location, systemClock, serverLogger)
  opened.defer(deployment.close)
  const { store, realtime } = deployment
  const outages = openOutageLog({ store, clock: systemClock, logger: serverLogger }, registry)
  opened.defer(async () => outages.close())
  const { logger } = outages
  const directory = await openDirectory(store, realtime.snapshots, systemClock)
  opened.defer(directory.close)
  const changeWatch = new ChangeWatch(store, (error) =>
    logger.error({ err: error }, 'the newest changes could not be read; retrying now'),
  )
  opened.defer(async () => changeWatch.close())
  const geocoder = openGeocoder(
    {
      // The feed processes query the geocoding server. This one only reads stored addresses.
      source: options.geocoder === 'off' ? 'off' : 'offline',
      requestsPerSecond: options.geocoderRate,
      userAgent: options.geocoderUserAgent,
    },
    systemClock,
    (failure) => logger.error({ err: failure }, 'addresses cannot be found at the moment'),
  )
  opened.defer(async () => geocoder?.close())
  const disclosures = openDisclosureCounts(store.disclosures, systemClock)
  const writing = repeat(disclosures.write, WRITE_DISCLOSURES_EVERY_MS, (error) =>
    logger.error({ err: error }, 'disclosures could not be stored; retrying later'),
  )
  opened.defer(async () => {
    await writing.stop()
    await disclosures.write()
  })
  const adminApi = openAdminApi({
    store,
    realtime,
    directory,
    changeWatch,
    usage: openUsageCounts(store.usage, systemClock),
    disclosures,
    about: aboutOf(options, api, feed),
    lastPacking: () => null,
    signOn: signOnOf(options),
    clock: systemClock,
    knownAddresses: geocoder?.known ?? null,
    addressOf: addressReader(options.trustProxy),
    line: logger.line,
    failed: (error, id) =>
      logger.error({ err: error, request_id: id }, 'the console could not be served'),
  })
  opened.defer(adminApi.signIns.close)
  const all = opened.move()
  return { api: adminApi, close: () => all.disposeAsync() }
}

/**
 * Returns the console's URL and stores it for the commands that print it. While there is no account, the result has the
 * secret of the setup link. Null, with a line on stderr, if this installation has no console.
 */
export async function consoleLink(
  { store, about }: Pick<AdminApi, 'store' | 'about'>,
  { address }: Pick<AdminListener, 'address'>,
  clock: Clock,
): Promise<{ url: string; setup: string | null } | null> {
  const url = about.consoleUrl ?? originOf(reachable(address), false)
  const addresses = { apiUrl: about.apiUrl, consoleUrl: url, feedUrl: about.feedUrl }
  if (!isDeepStrictEqual(await store.access.addresses(), addresses)) {
    await store.access.setAddresses(addresses)
  }
  if (!hasConsole()) {
    say("there is no console, because it was not built: run 'npm ci' without --omit=dev")
    return null
  }
  return { url, setup: await inviteFirst(store, clock.now()) }
}
