import { gzipSync } from 'node:zlib'
import { zxyToTileId } from 'pmtiles'
import { HIGH, LOW } from './shore.ts'
import { MAX_ZOOM, MIN_ZOOM, type Tile } from './tiles.ts'

const HEADER_BYTES = 127
const UNCOMPRESSED = 1
const GZIP = 2
const MVT = 1

type Entry = { id: number; offset: number; length: number; run: number }

/** Vector tiles as a PMTiles file, version 3, with one directory. Equal tiles are stored once. */
export function pmtilesOf(tiles: readonly Tile[], metadata: object): Buffer {
  const { entries, bodies } = placed(tiles)
  const directory = directoryOf(entries)
  const about = Buffer.from(JSON.stringify(metadata))
  const data = Buffer.concat(bodies)
  const metadataAt = HEADER_BYTES + directory.length
  const dataAt = metadataAt + about.length
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('PMTiles')
  header[7] = 3
  const numbers = [
    ...[HEADER_BYTES, directory.length, metadataAt, about.length],
    ...[dataAt, 0, dataAt, data.length],
    ...[tiles.length, entries.length, bodies.length],
  ]
  for (const [i, number] of numbers.entries()) header.writeBigUInt64LE(BigInt(number), 8 + i * 8)
  header.set([1, UNCOMPRESSED, GZIP, MVT, MIN_ZOOM, MAX_ZOOM], 96)
  const centre = LOW.map((low, axis) => (low + HIGH[axis]!) / 2)
  for (const [i, degrees] of [...LOW, ...HIGH].entries()) {
    header.writeInt32LE(Math.round(degrees * 1e7), 102 + i * 4)
  }
  header[118] = MAX_ZOOM
  for (const [i, degrees] of centre.entries()) {
    header.writeInt32LE(Math.round(degrees * 1e7), 119 + i * 4)
  }
  return Buffer.concat([header, directory, about, data])
}

function placed(tiles: readonly Tile[]): { entries: Entry[]; bodies: Buffer[] } {
  const entries: Entry[] = []
  const bodies: Buffer[] = []
  const known = new Map<string, { offset: number; length: number }>()
  let end = 0
  const byId = tiles.map(({ z, x, y, data }) => ({ id: zxyToTileId(z, x, y), data }))
  for (const { id, data } of byId.sort((a, b) => a.id - b.id)) {
    const key = Buffer.from(data).toString('latin1')
    let place = known.get(key)
    if (place === undefined) {
      const body = gzipSync(data, { level: 9 })
      place = { offset: end, length: body.length }
      known.set(key, place)
      bodies.push(body)
      end += body.length
    }
    const last = entries.at(-1)
    if (last?.offset === place.offset && last.id + last.run === id) last.run += 1
    else entries.push({ id, ...place, run: 1 })
  }
  return { entries, bodies }
}

function directoryOf(entries: readonly Entry[]): Buffer {
  return Buffer.from([
    ...varint(entries.length),
    ...entries.flatMap(({ id }, i) => varint(id - (entries[i - 1]?.id ?? 0))),
    ...entries.flatMap(({ run }) => varint(run)),
    ...entries.flatMap(({ length }) => varint(length)),
    ...entries.flatMap(({ offset }) => varint(offset + 1)),
  ])
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}
