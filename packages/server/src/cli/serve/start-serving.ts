import manifest from '../../../package.json' with { type: 'json' }
import type { AdminListener } from '../../admin/listener.ts'
import type { Logger } from '../../api/request-log.ts'
import { checkDeployment, type Deployment, openDeployment } from '../../compose.ts'
import type { Clock } from '../../domain/time/clock.ts'
import { shownLocation } from '../location.ts'
import { originOf, plainHttpWarnings, reachable } from '../origin.ts'
import { consoleLink } from './console-link.ts'
import { prepareDemo } from './demo.ts'
import type { Greeting } from './greeting.ts'
import { isSecure, openAdmin, renewCertificate, serveDeployment } from './serve-deployment.ts'
import type { ServeRequest } from './serve-request.ts'

/** A server in this process, with all its listeners. */
export type Serving = {
  greeting: Greeting
  /** Sentences that the operator should know. */
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
  const driving =
    server.feed && (await demo?.drive(originOf(reachable(server.feed), isTls), logger))
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
