import { systemClock } from '../../domain/time/clock.ts'
import { EXIT, say } from '../failure.ts'
import { openHangUp } from '../processes/hang-up.ts'
import { leaveWhileStarting, openStopSignal } from '../processes/stop-signal.ts'
import { holdOutput } from '../terminal/held-output.ts'
import { endInTime } from './end-in-time.ts'
import { greet } from './greeting.ts'
import { endUnread, logOutput } from './log-output.ts'
import type { ServeRequest } from './serve-request.ts'
import { openServerLog } from './server-log.ts'
import { startServing } from './start-serving.ts'

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
