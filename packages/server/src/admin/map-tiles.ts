import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Refused } from '../operator/refused.ts'
import { VIEWERS } from '../operator/who.ts'
import type { Tiles } from './admin-api.ts'
import type { AdminOperation } from './operation.ts'
import { BadTiles, type OpenTiles, openTiles } from './tiles-file.ts'

/** Answered by ranges of the file (`sendTiles`) after the checks. */
export const MAP_TILES: AdminOperation = {
  id: 'getMapTiles',
  method: 'GET',
  path: '/server/map.pmtiles',
  who: VIEWERS,
  tag: 'Server',
  summary: 'The PMTiles file of the map: whole, or the range of bytes that `Range` names',
  status: 200,
  answers: null,
  run: ({ api }) => openFile(api.about.tiles),
}

async function openFile(tiles: Tiles | null): Promise<OpenTiles> {
  if (tiles === null || 'url' in tiles) throw missing()
  try {
    return await openTiles(tiles.file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw missing()
    if (error instanceof BadTiles) {
      throw new Refused(503, 'bad_tiles', `the file of map tiles cannot be used: ${error.message}`)
    }
    throw error
  }
}

function missing(): Refused {
  return new Refused(404, 'not_found', 'this server has no file of map tiles')
}

/**
 * Answers with the opened file, or with the one range that a request names, and closes the file. Throws
 * `Refused` if the file has no such range.
 */
export async function sendTiles(
  { handle, size, tag }: OpenTiles,
  { headers, method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await using _closed = handle
  // A range of a file that was replaced means nothing in its successor.
  const isSame = headers['if-range'] === undefined || headers['if-range'] === tag
  const range = isSame ? rangeOf(headers.range, size) : undefined
  const { start, end } = range ?? { start: 0, end: size - 1 }
  response.writeHead(range === undefined ? 200 : 206, {
    'Content-Type': 'application/vnd.pmtiles',
    'Content-Length': end - start + 1,
    ETag: tag,
    'Accept-Ranges': 'bytes',
    ...(range && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  })
  if (method === 'HEAD') return void response.end()
  // A file that shrinks meanwhile must not leave the client waiting for the rest.
  response.strictContentLength = true
  await pipeline(handle.createReadStream({ start, end, autoClose: false }), response)
}

/** First and last byte of a `Range` header. Undefined: it asks for no single range of bytes. */
function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header ?? '') ?? []
  if (first === undefined || first + last! === '') return undefined
  const isSuffix = first === ''
  const start = isSuffix ? Math.max(0, size - Number(last)) : Number(first)
  const end = isSuffix || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (!isSuffix && last !== '' && Number(last) < start) return undefined
  if (start >= size) {
    throw new Refused(416, 'outside', `the file has ${size} bytes`, {
      headers: { 'Content-Range': `bytes */${size}` },
    })
  }
  return { start, end }
}
