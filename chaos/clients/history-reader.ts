import { connect } from 'node:net'
import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  type ZlibOptions,
  zstdDecompressSync,
} from 'node:zlib'

export const CODINGS = ['identity', 'gzip', 'br', 'zstd'] as const
export type ReadCoding = (typeof CODINGS)[number]

/** Reads an answer one kilobyte at a time, on request. */
export type HistoryReader = {
  readOn(): void
  /** The raw bytes, with the head. */
  readonly received: Buffer
  close(): void
}

const STEP_BYTES = 1024

export function openHistoryReader(
  port: number,
  path: string,
  key: string,
  coding: ReadCoding,
): HistoryReader {
  const chunks: Buffer[] = []
  // The reader takes at most this much from the system at a time, and then nothing until `readOn`.
  const buffer = Buffer.alloc(STEP_BYTES)
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer,
      callback(length) {
        chunks.push(Buffer.from(buffer.subarray(0, length)))
        return false
      },
    },
  })
  socket.pause()
  socket.on('error', () => {})
  const lines = [`GET ${path} HTTP/1.1`, 'Host: a', `x-api-key: ${key}`]
  socket.write(`${lines.join('\r\n')}\r\nAccept-Encoding: ${coding}\r\n\r\n`)
  return {
    readOn: () => void socket.resume(),
    get received() {
      return Buffer.concat(chunks)
    },
    close: () => socket.destroy(),
  }
}

/** The status of a partial answer, and as much of its body as can be decoded. */
export function beginningOf(
  received: Buffer,
  coding: ReadCoding,
): { status: number; text: string } {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return { status: 0, text: '' }
  const status = Number(received.toString('latin1', 9, 12))
  return { status, text: decode(dechunk(received.subarray(end + 4)), coding).toString() }
}

/** The data of the chunks of a body that may end anywhere. */
function dechunk(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf('\r\n', at)
    if (end === -1) break
    const length = Number.parseInt(body.toString('latin1', at, end), 16)
    parts.push(body.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
  return Buffer.concat(parts)
}

function decode(bytes: Buffer, coding: ReadCoding): Buffer {
  const partial: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH }
  switch (coding) {
    case 'identity':
      return bytes
    case 'gzip':
      return gunzipSync(bytes, partial)
    case 'br':
      return brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_flush })
  }
}
