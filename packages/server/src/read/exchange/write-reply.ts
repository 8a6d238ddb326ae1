import type { ServerResponse } from 'node:http'
import type { Transform, Writable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import { sendWhole, whenGone } from '../../base/http/send-whole.ts'
import { type Coding, preferredCoding } from './negotiation.ts'
import { isEventStream, type Reply } from './reply.ts'

/**
 * Writes a reply. Returns undefined if it is written at once. Otherwise resolves with true when it is written, or with
 * false if the client disconnected first. Rejects if a stream failed after its first byte; the connection is then
 * aborted, so that the client never sees valid JSON. `acceptEncoding`: the header of the request.
 */
export function writeReply(
  response: ServerResponse,
  reply: Reply,
  isHead: boolean,
  acceptEncoding: string | undefined,
): Promise<boolean> | undefined {
  const { body, headers } = reply
  if (body === undefined) {
    response.writeHead(reply.status, headers)
    response.end()
    return undefined
  }
  if (isEventStream(body)) {
    response.writeHead(reply.status, headers)
    // A stream stays open for a long time, so free the list of headers and the parts of the head.
    headers.length = 0
    response.flushHeaders()
    return body.run(response).then(() => true)
  }
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    const coding = reply.isCoded ? undefined : preferredCoding(acceptEncoding)
    return writeStreamed(response, reply, body, isHead, coding)
  }
  const length = reply.bytes ?? Buffer.byteLength(body)
  const mayCompress = !reply.isCoded && length >= COMPRESS_FROM_BYTES
  const coding = mayCompress ? preferredCoding(acceptEncoding) : undefined
  return coding === undefined
    ? writeWhole(response, reply, body, length, isHead)
    : writeCompressed(response, reply, body, isHead, coding)
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
  const compressing = coding === undefined ? undefined : compressor(coding)
  const givingUp = new AbortController()
  const giveUp = (why?: Error) => {
    givingUp.abort()
    compressing?.destroy()
    response.destroy(why)
  }
  const forget = whenGone(response, () => giveUp())
  const client = { response, gone: givingUp.signal, giveUp }
  try {
    if (compressing === undefined) await pump(body, response, client)
    else await Promise.all([pump(body, compressing, client), pump(compressing, response, client)])
    return !givingUp.signal.aborted
  } catch (error) {
    // The compressor was destroyed because the client disconnected.
    if (givingUp.signal.aborted && isPremature(error)) return false
    giveUp(error as Error)
    throw error
  } finally {
    forget()
  }
}

function isPremature(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/**
 * The server closes the connection if a client reads a piece of an answer more slowly than this: 0.8 kB/s are enough.
 */
export const PIECE_TIMEOUT_MS = 120_000
const PIECE_BYTES = 96 * 1024

/** The client of an answer. `gone` aborts when it has disconnected. `giveUp` closes its connection. */
type PumpTarget = { response: ServerResponse; gone: AbortSignal; giveUp(why: Error): void }

/**
 * Writes one block at a time and waits until the target has taken it, because its memory is used again. Ends
 * the target after the last block. Resolves when the target has taken all blocks, or when the client has disconnected.
 */
async function pump(
  blocks: AsyncIterable<Uint8Array>,
  target: Writable,
  client: PumpTarget,
): Promise<void> {
  for await (const block of blocks) {
    for (let at = 0; at < block.length; at += PIECE_BYTES) {
      const piece = block.subarray(at, at + PIECE_BYTES)
      await untilTaken(target, client, (taken) => target.write(piece, taken))
      if (client.gone.aborted) return
    }
  }
  await untilTaken(target, client, (taken) => target.end(taken))
}

function untilTaken(
  target: Writable,
  client: PumpTarget,
  hand: (taken: (error?: Error | null) => void) => void,
): Promise<void> {
  const { gone, giveUp } = client
  return new Promise((resolve) => {
    if (gone.aborted) return resolve()
    // A compressor takes input again after its output was taken.
    const looks = target === client.response ? closeIfStalled(client) : undefined
    const done = () => {
      clearInterval(looks)
      gone.removeEventListener('abort', done)
      resolve()
    }
    gone.addEventListener('abort', done)
    hand((error) => {
      if (error) giveUp(error)
      done()
    })
  })
}

/** Node restarts its own timeout whenever the system takes a part of a piece. This timeout covers the whole piece. */
function closeIfStalled({ response, giveUp }: PumpTarget): NodeJS.Timeout {
  // An answer gets the connection after the client has read the answers before it.
  let hadItsTurn = response.socket !== null
  return setInterval(() => {
    if (hadItsTurn) giveUp(new Error('The client read nothing for too long.'))
    hadItsTurn = response.socket !== null
  }, PIECE_TIMEOUT_MS)
}

/** A shorter body and its headers fit into one packet, so compression would gain nothing. */
const COMPRESS_FROM_BYTES = 1_400

/**
 * Brotli's default quality of 11 is for files that are compressed once. Its default window of 4 MiB takes
 * 15 MB for each body in progress. This one takes 3 MB and half the time, and lists get no larger.
 */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
}

/**
 * A stream holds its compressor for as long as its client reads, so each must be small. Rows resemble the
 * ones just before them, so small windows compress as well, and faster.
 */
const STREAMED = { highWaterMark: 16 * 1024, chunkSize: 8 * 1024 }
const STREAMED_GZIP = { ...STREAMED, windowBits: 12, memLevel: 5 }
const STREAMED_BROTLI = {
  ...STREAMED,
  // The coding whose compressor takes the most memory, three times the others.
  highWaterMark: 8 * 1024,
  params: { [constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 12 },
}
const STREAMED_ZSTD = {
  ...STREAMED,
  params: {
    [constants.ZSTD_c_windowLog]: 13,
    [constants.ZSTD_c_hashLog]: 11,
    [constants.ZSTD_c_chainLog]: 11,
  },
}

const COMPRESS: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  gzip: promisify<Buffer, Buffer>(gzip),
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  zstd: promisify<Buffer, Buffer>(zstdCompress),
}

/** Compressions in progress by body: requests for the same body share one. */
const underWay: Record<Coding, WeakMap<Buffer, Promise<Buffer>>> = {
  gzip: new WeakMap(),
  br: new WeakMap(),
  zstd: new WeakMap(),
}

export function compress(body: Buffer, coding: Coding): Promise<Buffer> {
  const begun = underWay[coding].get(body)
  if (begun !== undefined) return begun
  const compressed = COMPRESS[coding](body).finally(() => underWay[coding].delete(body))
  underWay[coding].set(body, compressed)
  return compressed
}

/** For a stream of rows. */
export function compressor(coding: Coding): Transform {
  switch (coding) {
    case 'gzip':
      return createGzip(STREAMED_GZIP)
    case 'br':
      return createBrotliCompress(STREAMED_BROTLI)
    case 'zstd':
      return createZstdCompress(STREAMED_ZSTD)
  }
}
