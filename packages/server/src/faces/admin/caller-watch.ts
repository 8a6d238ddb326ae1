import type { IncomingMessage, ServerResponse } from 'node:http'
import type { StreamedReply } from '../../acts/act-reply.ts'
import { Refused, signedOut } from '../../acts/refused.ts'
import { writeReply } from '../../read/exchange/write-reply.ts'
import { MEDIA_TYPES } from '../../read/formats/formats.ts'
import { callerOf } from './access/authenticate-caller.ts'
import { admit } from './access/authorize.ts'
import type { AdminApi, AdminOperation, Call } from './admin-api.ts'
import { CallerGone } from './body.ts'
import type { AdminRoute } from './operations/admin-operations.ts'

const CHECK_MS = 1_000

/**
 * Aborts when the client has gone (reason: `CallerGone`) or its session, its token or its role has ended (reason:
 * `Refused`).
 */
type CallerWatch = { signal: AbortSignal; stop(): void }

export function watchCaller(
  api: AdminApi,
  message: IncomingMessage,
  response: ServerResponse,
  { operation, params }: AdminRoute,
): CallerWatch {
  const controller = new AbortController()
  const leave = () => controller.abort(new CallerGone())
  response.once('close', leave)
  const timer = setInterval(() => void check(), CHECK_MS)

  /** A failed check does not end the work. */
  async function check(): Promise<void> {
    const may = await mayStill(api, message, operation, params).catch(() => true)
    if (!may) controller.abort(signedOut())
  }

  return {
    signal: controller.signal,
    stop() {
      response.off('close', leave)
      clearInterval(timer)
    },
  }
}

/** Whether the caller of a request that takes long may still do what it asked for. */
export async function mayStill(
  api: AdminApi,
  message: IncomingMessage,
  operation: AdminOperation,
  params: Call['params'],
): Promise<boolean> {
  const caller = await callerOf(api, message)
  if (caller === null) return false
  try {
    admit(caller, operation, params)
    return true
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

/**
 * Sends a file while it is made. If its caller loses access meanwhile, the connection is cut, so that nobody takes
 * the file for complete.
 */
export async function sendStreamed(
  { body, headers }: StreamedReply,
  { method, headers: { 'accept-encoding': coding } }: IncomingMessage,
  response: ServerResponse,
  { signal, stop }: CallerWatch,
): Promise<void> {
  const cut = () => response.destroy()
  signal.addEventListener('abort', cut)
  // The parts of a workbook are compressed.
  const isCoded = headers['Content-Type'] === MEDIA_TYPES.xlsx
  const all = Object.entries(headers).flat()
  const reply = { status: 200, headers: all, body, isCoded, close: false }
  try {
    await writeReply(response, reply, method === 'HEAD', coding)
  } finally {
    signal.removeEventListener('abort', cut)
    stop()
  }
}
