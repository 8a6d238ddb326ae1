import manifest from '../../../package.json' with { type: 'json' }
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import { UNSEEN } from '../../base/domain/position/object-state.ts'
import { type Clock, systemClock } from '../../base/domain/time/time.ts'
import type { Logger } from '../../base/http/listener-log.ts'
import type { Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import type { AdminListener } from '../../faces/admin/admin-listener.ts'
import { type Driving, startDriving } from '../../work/simulated/demo/driving.ts'
import { type DemoAccess, fillDemo, issueDemoAccess } from '../../work/simulated/demo/fill.ts'
import { checkDeployment, type Deployment, openDeployment } from '../compose.ts'
import { EXIT, say } from '../failure.ts'
import { shownLocation } from '../location.ts'
import { holdOutput } from '../terminal.ts'
import { type Greeting, greet } from './greeting.ts'
import { originOf, plainHttpWarnings, reachable } from './listener-addresses.ts'
import { consoleLink } from './processes.ts'
import { isSecure, openAdmin, renewCertificate, serveDeployment } from './serve-deployment.ts'
import type { ServeRequest } from './serve-options.ts'
import { endUnread, logOutput, openServerLog } from './server-log.ts'
import { endInTime, leaveWhileStarting, openHangUp, openStopSignal } from './stop-signal.ts'

/** A server in this process, with all its listeners. */
export type Serving = {
  greeting: Greeting
  /** For the operator, a sentence each. */
  warnings: string[]
  /** Reads the certificate again, for new connections. */
  renewCertificate(): void
  /** Finishes the requests in flight, and closes everything. */
  close(): Promise<void>
}

/** The parts that a server takes from its process. */
export type Surroundings = {
  clock: Clock
  logger: Logger
  /** Called when no request is in flight, before the last writes. */
  drained?(deployment: Deployment): void
}

/** Opens the deployment, the demo if it was asked for, and the listeners. */
export async function startServing(
  { options, location }: ServeRequest,
  { clock, logger, drained }: Surroundings,
): Promise<Serving> {
  const isTls = isSecure(options)
  await using opened = new AsyncDisposableStack()
  const warnings = await checkDeployment(location, 1)
  const deployment = await openDeployment(location, clock, logger)
  opened.defer(deployment.close)
  const demo = options.demo === true ? await prepareDemo(deployment.store, clock) : undefined
  const server = await serveDeployment(options, deployment, clock, logger)
  let admin: AdminListener | undefined
  // The operator can watch the drain.
  opened.defer(() => admin?.close())
  opened.defer(server.stop)
  opened.defer(() => drained?.(deployment))
  opened.defer(server.drain)
  admin = await openAdmin(server, server.admin, server.logOf, options)
  const driving = server.feed && demo?.drive(originOf(reachable(server.feed), isTls), logger)
  opened.defer(() => driving?.stop())
  const greeting = {
    version: manifest.version,
    ...shownLocation(location),
    api: server.api && originOf(server.api, isTls),
    feed: server.feed && originOf(server.feed, isTls),
    admin: originOf(admin.address, false),
    console: server.admin && (await consoleLink(server.admin, admin, clock)),
    isEmpty: (await deployment.store.organizations.list()).length === 0,
    demo,
  }
  const all = opened.move()
  return {
    greeting,
    warnings: [...warnings, ...plainHttpWarnings(server.api, isTls)],
    renewCertificate: () => renewCertificate(server, options, logger),
    close: () => all.disposeAsync(),
  }
}

/** The life of a server in one process. */
export async function serveUntilStopped(request: ServeRequest): Promise<void> {
  leaveWhileStarting()
  const onHangUp = openHangUp()
  let code: number = EXIT.failed
  await using opened = new AsyncDisposableStack()
  opened.defer(() => endUnread(process.stdout))
  const output = holdOutput(logOutput(process.stdout))
  opened.defer(output.open)
  const { logger, flush } = openServerLog(output.write)
  opened.defer(flush)
  const serving = await startServing(request, {
    clock: systemClock,
    logger,
    drained: (deployment) => endInTime(deployment, code),
  })
  opened.defer(serving.close)
  for (const warning of serving.warnings) say(warning)
  // A program that reads the greeting may stop the server at once.
  const stop = openStopSignal()
  onHangUp({ asked: serving.renewCertificate, closed: stop.ask })
  greet(serving.greeting, request.options.json === true)
  output.open()
  await stop.asked
  code = EXIT.done
  say('stopping: no new connections, requests in flight are finished')
}

/** The simulated fleet in a server. */
export type Demo = DemoAccess & {
  /** An object that drives now, and one whose tracker is silent. */
  first: MonitoredObject
  silent: MonitoredObject | undefined
  /** Makes the vehicles report to the feed at this address from now on, like real ones. */
  drive(feed: string, logger: Logger): Driving
}

/** Brings the simulated fleet up to date and issues its secrets. */
async function prepareDemo(store: Store, clock: Clock): Promise<Demo> {
  say('driving the demo fleet through its last 7 days')
  const { organization, first, ...driven } = await fillDemo(store, clock, foldRules(clock))
  const access = await issueDemoAccess(store, organization, clock)
  const objects = await store.objects.list(organization)
  const states = await store.positions.states(organization)
  return {
    ...access,
    first: objects.find(({ ident }) => ident === first) ?? objects[0]!,
    silent: objects.find(({ id }) => (states.get(id) ?? UNSEEN).timeServer === null),
    drive(feed, logger) {
      return startDriving({ origin: feed, token: access.feedToken }, clock, driven, (error) =>
        logger.error({ err: error }, 'the demo fleet could not report; retrying in 5 s'),
      )
    },
  }
}
