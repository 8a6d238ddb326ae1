import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { COMPRESS_FROM_BYTES, type Coding, compress, compressor } from './compression.ts'
import type { Reply } from './reply.ts'

/**
 * Writes a reply. Resolves when it is written or the client has gone; rejects when a stream failed
 * after its first byte, the connection then being aborted, so that what arrived is never valid JSON.
 */
export async function writeReply(
  response: ServerResponse,
  reply: Reply,
  isHead: boolean,
  coding: Coding | undefined,
): Promise<void> {
  const { body, headers } = reply
  if (body === undefined) {
    response.writeHead(reply.status, headers)
    response.end()
    return
  }
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    await writeWhole(response, reply, body, isHead, coding)
    return
  }
  if (coding !== undefined) headers.push('Content-Encoding', coding)
  response.writeHead(reply.status, headers)
  if (isHead) {
    response.end()
    // Begun, since a generator that never ran would not free what it holds either.
    const iterator = body[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.return?.()
    return
  }
  await writeStream(response, body, coding)
}

/** Text leaves in one write with its headers, where Node would send a buffer in a second one. */
async function writeWhole(
  response: ServerResponse,
  { status, headers }: Reply,
  body: string | Buffer,
  isHead: boolean,
  coding: Coding | undefined,
): Promise<void> {
  let content = body
  let length = Buffer.byteLength(body)
  if (coding !== undefined && length >= COMPRESS_FROM_BYTES) {
    content = await compress(typeof body === 'string' ? Buffer.from(body) : body, coding)
    length = content.length
    headers.push('Content-Encoding', coding)
  }
  headers.push('Content-Length', String(length))
  response.writeHead(status, headers)
  if (isHead) response.end()
  else response.end(content)
}

async function writeStream(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array>,
  coding: Coding | undefined,
): Promise<void> {
  try {
    if (coding === undefined) await pipeline(body, response)
    else await pipeline(body, compressor(coding), response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}
