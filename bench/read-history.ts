import { get, type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

export type HistoryRequest = {
  port: number
  path: string
  key: string
  coding: 'gzip' | 'identity'
  /**
   * For formats other than JSON, whose rows have braces: a character of each row, how many of them each and the head
   * have, and the end of the answer.
   */
  format?: RowMarks
}

export type HistoryAnswer = {
  rows: number
  /** Bytes of the body on the wire, compressed or not. */
  bytes: number
  seconds: number
}

export type RowMarks = { row: string; each?: number; head: number; end: string }

const JSON_MARKS: RowMarks = { row: '{', head: 1, end: ']}' }

/** Reads a whole history and counts its rows by the character that begins them. */
export async function readHistory(request: HistoryRequest): Promise<HistoryAnswer> {
  const { port, path, key, coding, format: { row, each = 1, head, end } = JSON_MARKS } = request
  const start = performance.now()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { 'x-api-key': key, 'accept-encoding': coding }
    get({ host: '127.0.0.1', port, path, headers }, resolve).on('error', reject)
  })
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} to ${path}`)
  let bytes = 0
  const mark = row.charCodeAt(0)
  let marks = 0
  let tail = Buffer.alloc(0)
  async function* weigh(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      yield chunk
    }
  }
  const count = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      // A loop over bytes would take longer than the server takes to write them.
      for (let at = chunk.indexOf(mark); at !== -1; at = chunk.indexOf(mark, at + 1)) marks++
      tail = Buffer.concat([tail, chunk.subarray(-end.length)]).subarray(-end.length)
    }
  }
  const isCoded = response.headers['content-encoding'] === 'gzip'
  if (isCoded !== (coding === 'gzip')) throw new Error('not in the coding that was asked for')
  if (isCoded) await pipeline(response, weigh, createGunzip(), count)
  else await pipeline(response, weigh, count)
  if (tail.toString() !== end) throw new Error('the answer was cut off')
  return { rows: (marks - head) / each, bytes, seconds: (performance.now() - start) / 1000 }
}
