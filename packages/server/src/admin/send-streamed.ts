import type { IncomingMessage, ServerResponse } from 'node:http'
import { writeReply } from '../api/reply/write-reply.ts'
import type { StreamedReply } from './admin-api.ts'
import type { CallerWatch } from './caller-watch.ts'

/** Sends a file while it is made. It is cut, so that nobody takes it for whole, as soon as its caller may not have it. */
export async function sendStreamed(
  { body, headers }: StreamedReply,
  { method, headers: { 'accept-encoding': coding } }: IncomingMessage,
  response: ServerResponse,
  { signal, stop }: CallerWatch,
): Promise<void> {
  const cut = () => response.destroy()
  signal.addEventListener('abort', cut)
  const reply = { status: 200, headers: Object.entries(headers).flat(), body, close: false }
  try {
    await writeReply(response, reply, method === 'HEAD', coding)
  } finally {
    signal.removeEventListener('abort', cut)
    stop()
  }
}
