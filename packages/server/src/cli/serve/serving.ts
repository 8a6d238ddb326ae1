import manifest from '../../../package.json' with { type: 'json' }
import type { AdminListener } from '../../admin/listener.ts'
import { checkDeployment, openDeployment } from '../../compose.ts'
import { systemClock } from '../../domain/time/clock.ts'
import { EXIT, say } from '../failure.ts'
import { shownLocation } from '../location.ts'
import { originOf, reachable, warnOfPlainHttp } from '../origin.ts'
import { openHangUp } from '../processes/hang-up.ts'
import { leaveWhileStarting, openStopSignal } from '../processes/stop-signal.ts'
import { holdOutput } from '../terminal/held-output.ts'
import { consoleLink } from './console-link.ts'
import { prepareDemo } from './demo.ts'
import { endInTime } from './end-in-time.ts'
import { greet } from './greeting.ts'
import { endUnread, logOutput } from './log-output.ts'
import { isSecure, openAdmin, renewCertificate, serveDeployment } from './serve-deployment.ts'
import type { ServeRequest } from './serve-request.ts'
import { openServerLog } from './server-log.ts'

/** The life of a server in one process. */
export async function serveUntilStopped({ options, location }: ServeRequest): Promise<void> {
  leaveWhileStarting()
  const onHangUp = openHangUp()
  const isTls = isSecure(options)
  let code: number = EXIT.failed
  await using opened = new AsyncDisposableStack()
  opened.defer(() => endUnread(process.stdout))
  const output = holdOutput(logOutput(process.stdout))
  opened.defer(output.open)
  const log = openServerLog(output.write)
  opened.defer(log.flush)
  const warnings = await checkDeployment(location, 1)
  const deployment = await openDeployment(location, systemClock, log.logger)
  opened.defer(deployment.close)
  const demo = options.demo === true ? await prepareDemo(deployment.store) : undefined
  const server = await serveDeployment(options, deployment, log.logger)
  let admin: AdminListener | undefined
  // The operator can watch the drain.
  opened.defer(() => admin?.close())
  opened.defer(server.stop)
  opened.defer(() => endInTime(deployment, code))
  opened.defer(server.drain)
  admin = await openAdmin(server, server.admin, server.logOf, options)
  const driving =
    server.feed && (await demo?.drive(originOf(reachable(server.feed), isTls), log.logger))
  opened.defer(() => driving?.stop())
  for (const warning of warnings) say(warning)
  warnOfPlainHttp(server.api, isTls)
  const isEmpty = (await deployment.store.organizations.list()).length === 0
  // A program that reads the greeting may stop the server at once.
  const stop = openStopSignal()
  onHangUp({
    asked: () => renewCertificate(server, options, log.logger),
    closed: stop.ask,
  })
  greet(
    {
      version: manifest.version,
      ...shownLocation(location),
      api: server.api && originOf(server.api, isTls),
      feed: server.feed && originOf(server.feed, isTls),
      admin: originOf(admin.address, false),
      console: server.admin && (await consoleLink(deployment.store, options, admin.address)),
      isEmpty,
      demo,
    },
    options.json === true,
  )
  output.open()
  await stop.asked
  code = EXIT.done
  say('stopping: no new connections, requests in flight are finished')
}
