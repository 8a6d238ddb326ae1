import type { IncomingMessage, ServerResponse } from 'node:http'
import { signedOut } from '../operator/refused.ts'
import { callerOf } from './access/authenticate.ts'
import type { AdminApi } from './admin-api.ts'

const CHECK_MS = 1_000

/** Aborts when the client has gone (reason: its error) or its session or token has ended (reason: `Refused`). */
export type CallerWatch = { signal: AbortSignal; stop(): void }

export function watchCaller(
  api: AdminApi,
  message: IncomingMessage,
  response: ServerResponse,
): CallerWatch {
  const controller = new AbortController()
  const leave = () => controller.abort()
  response.once('close', leave)
  const timer = setInterval(() => void check(), CHECK_MS)

  /** A failed check does not end the work. */
  async function check(): Promise<void> {
    const isEnded = await callerOf(api, message).then(
      (caller) => caller === null,
      () => false,
    )
    if (isEnded) controller.abort(signedOut())
  }

  return {
    signal: controller.signal,
    stop() {
      response.off('close', leave)
      clearInterval(timer)
    },
  }
}
