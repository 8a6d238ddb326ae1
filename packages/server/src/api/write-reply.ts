import type { ServerResponse } from 'node:http'
import { sendWhole } from '../http/send-whole.ts'
import { whenGone } from '../http/when-gone.ts'
import { COMPRESS_FROM_BYTES, type Coding, compress, compressor } from './compression.ts'
import { pump } from './pump.ts'
import type { Reply } from './reply.ts'

/**
 * Writes a reply. Undefined if it is written at once. Else resolves with true when it is written, and
 * with false if the client has gone before. Rejects if a stream failed after its first byte; the
 * connection is then aborted, so that the client never sees valid JSON.
 */
export function writeReply(
  response: ServerResponse,
  reply: Reply,
  isHead: boolean,
  coding: Coding | undefined,
): Promise<boolean> | undefined {
  const { body, headers } = reply
  if (body === undefined) {
    response.writeHead(reply.status, headers)
    response.end()
    return undefined
  }
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    return writeStreamed(response, reply, body, isHead, coding)
  }
  const length = reply.bytes ?? Buffer.byteLength(body)
  return coding !== undefined && length >= COMPRESS_FROM_BYTES
    ? writeCompressed(response, reply, body, isHead, coding)
    : writeWhole(response, reply, body, length, isHead)
}

function writeWhole(
  response: ServerResponse,
  { status, headers }: Reply,
  body: string | Buffer,
  length: number,
  isHead: boolean,
): Promise<boolean> | undefined {
  headers.push('Content-Length', String(length))
  response.writeHead(status, headers)
  if (!isHead) return sendWhole(response, body)
  response.end()
}

async function writeCompressed(
  response: ServerResponse,
  reply: Reply,
  body: string | Buffer,
  isHead: boolean,
  coding: Coding,
): Promise<boolean> {
  const whole = typeof body === 'string' ? Buffer.from(body) : body
  const compressed = await compress(whole, coding)
  reply.headers.push('Content-Encoding', coding)
  return (await writeWhole(response, reply, compressed, compressed.length, isHead)) ?? true
}

async function writeStreamed(
  response: ServerResponse,
  { status, headers }: Reply,
  body: AsyncIterable<Uint8Array>,
  isHead: boolean,
  coding: Coding | undefined,
): Promise<boolean> {
  if (coding !== undefined) headers.push('Content-Encoding', coding)
  response.writeHead(status, headers)
  if (isHead) {
    response.end()
    // Start it: a generator that never ran would not free its resources either.
    const iterator = body[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.return?.()
    return true
  }
  return writeStream(response, body, coding)
}

async function writeStream(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  coding: Coding | undefined,
): Promise<boolean> {
  const coder = coding === undefined ? undefined : compressor(coding)
  const leaving = new AbortController()
  const leave = (why?: Error) => {
    leaving.abort()
    coder?.destroy()
    response.destroy(why)
  }
  const forget = whenGone(response, () => leave())
  const client = { response, gone: leaving.signal, leave }
  try {
    if (coder === undefined) await pump(body, response, client)
    else await Promise.all([pump(body, coder, client), pump(coder, response, client)])
    return !leaving.signal.aborted
  } catch (error) {
    // The error of an encoder that ended with its client.
    if (leaving.signal.aborted && isPremature(error)) return false
    leave(error as Error)
    throw error
  } finally {
    forget()
  }
}

function isPremature(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
}
