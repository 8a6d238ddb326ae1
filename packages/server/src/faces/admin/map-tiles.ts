import { type FileHandle, open } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import { VIEWERS } from '../../acts/act.ts'
import { Refused } from '../../acts/refused.ts'
import type { AdminOperation, Tiles } from './admin-api.ts'

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
  return new Refused(404, 'not_found', 'no map tiles file is configured')
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

/** A tiles file as the console needs to know it. `attribution`: the file's own, as HTML. */
export type TilesFile = { type: 'vector' | 'raster'; attribution: string | null }

/**
 * A tiles file, open for one answer. `tag` stands for these bytes: it changes with the file's size, its
 * time of change and its inode.
 */
export type OpenTiles = { handle: FileHandle; size: number; tag: string; header: Header }

type Header = {
  type: TilesFile['type']
  metadata: { offset: number; length: number; isPacked: boolean }
}

/** The file cannot be used as the map's tiles. The message says why. */
class BadTiles extends Error {
  override name = 'BadTiles'
}

/** Fields of the header: https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md */
const HEADER_BYTES = 127
const VERSION = 3
const UNCOMPRESSED = 1
const GZIP = 2
const TYPES: readonly (TilesFile['type'] | undefined)[] = [
  undefined,
  'vector',
  'raster',
  'raster',
  'raster',
  'raster',
]
/** Metadata takes some 20 KB. A damaged length must not fill the memory. */
const MAX_METADATA_BYTES = 8 * 1024 * 1024
/** The layer of the Protomaps basemap that no other schema names so. */
const STREETS = 'roads'

/** Reads what a tiles file holds. Throws `BadTiles` if it cannot be used, or the system's error. */
export async function describeTiles(path: string): Promise<TilesFile> {
  const { handle, header } = await openTiles(path)
  try {
    const { vector_layers, attribution } = await metadataOf(handle, header)
    if (header.type === 'vector') checkLayers(vector_layers)
    return { type: header.type, attribution: typeof attribution === 'string' ? attribution : null }
  } finally {
    await handle.close()
  }
}

/**
 * Opens a tiles file again, because it may have been replaced. The caller closes it. Throws `BadTiles` if
 * it is not a PMTiles file, or the system's error.
 */
async function openTiles(path: string): Promise<OpenTiles> {
  const handle = await open(path)
  try {
    const { size, mtimeNs, ino } = await handle.stat({ bigint: true })
    const header = headerOf(await readAt(handle, 0, HEADER_BYTES), Number(size))
    return { handle, size: Number(size), tag: `"${[size, mtimeNs, ino].join('-')}"`, header }
  } catch (error) {
    await handle.close()
    throw error
  }
}

function headerOf(bytes: Buffer, size: number): Header {
  if (bytes.toString('latin1', 0, 2) !== 'PM') throw new BadTiles('it is not a PMTiles file')
  const isNew = bytes.toString('latin1', 0, 7) === 'PMTiles'
  const version = isNew ? bytes[7] : bytes[2]
  if (version !== VERSION) {
    throw new BadTiles(
      `it is a PMTiles file of version ${version}; the map requires version ${VERSION}`,
    )
  }
  if (bytes.length < HEADER_BYTES) throw new BadTiles('it ends within its header')
  const at = (offset: number) => Number(bytes.readBigUInt64LE(offset))
  const end = Math.max(at(8) + at(16), at(24) + at(32), at(40) + at(48), at(56) + at(64))
  if (end > size) throw new BadTiles(`it was cut off: it has ${size} of ${end} bytes`)
  const type = TYPES[bytes[99]!]
  if (type === undefined) {
    throw new BadTiles('its tiles are neither vector tiles (MVT) nor PNG, JPEG, WebP or AVIF')
  }
  const [internal, tiles] = [bytes[97]!, bytes[98]!]
  if (internal > GZIP || tiles > GZIP) {
    throw new BadTiles('its compression is not gzip, the only one that the map supports')
  }
  return { type, metadata: { offset: at(24), length: at(32), isPacked: internal !== UNCOMPRESSED } }
}

async function metadataOf(
  handle: FileHandle,
  { metadata: { offset, length, isPacked } }: Header,
): Promise<Record<string, unknown>> {
  if (length > MAX_METADATA_BYTES) throw new BadTiles('its metadata are too large')
  const bytes = await readAt(handle, offset, length)
  try {
    const json = isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_METADATA_BYTES }) : bytes
    return JSON.parse(json.toString()) as Record<string, unknown>
  } catch {
    throw new BadTiles('its metadata cannot be read')
  }
}

/** The map's style draws the layers of one schema only. Of others nothing would be seen. */
function checkLayers(layers: unknown): void {
  const names = Array.isArray(layers) ? layers.map(({ id }) => String(id)) : []
  if (names.includes(STREETS)) return
  throw new BadTiles(
    `its vector tiles are not from the Protomaps basemap: they have no layer '${STREETS}'${names.length > 0 ? `, only ${names.join(', ')}` : ''}`,
  )
}

async function readAt(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset)
  return buffer.subarray(0, bytesRead)
}
