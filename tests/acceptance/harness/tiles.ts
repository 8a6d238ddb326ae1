import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from './fleetgate.ts'
import { REPOSITORY } from './fleetgate.ts'

/** The PMTiles file of the demo: vector tiles of the Protomaps basemap. */
export const DEMO_STREETS = join(REPOSITORY, 'packages/server/assets/demo-streets.pmtiles')

/** Places of fields in the header of PMTiles, version 3. */
export const FIELD = { version: 7, metadata: 24, tileCompression: 98, tileType: 99 } as const

/** The bytes of the demo's PMTiles file with other bytes at some places. */
export function changedTiles(changes: Record<number, number>): Buffer {
  const bytes = readFileSync(DEMO_STREETS)
  for (const [place, byte] of Object.entries(changes)) bytes[Number(place)] = byte
  return bytes
}

/** The same with other metadata, which are added at the end of the file. */
export function withMetadata(metadata: Json): Buffer {
  const bytes = readFileSync(DEMO_STREETS)
  const added = Buffer.from(JSON.stringify(metadata))
  bytes.writeBigUInt64LE(BigInt(bytes.length), FIELD.metadata)
  bytes.writeBigUInt64LE(BigInt(added.length), FIELD.metadata + 8)
  return Buffer.concat([bytes, added])
}

/**
 * A PMTiles file with one picture: the tile 0/0/0, which is the whole world. The demo's header, one entry
 * in its directory.
 */
export function pictureTiles(png: Buffer): Buffer {
  const header = readFileSync(DEMO_STREETS).subarray(0, 127)
  const directory = Buffer.from([1, 0, 1, ...varint(png.length), 1])
  const metadata = Buffer.from('{"attribution":"A picture"}')
  const parts = [directory, metadata, Buffer.alloc(0), png]
  let at = header.length
  for (const [i, part] of parts.entries()) {
    header.writeBigUInt64LE(BigInt(at), 8 + i * 16)
    header.writeBigUInt64LE(BigInt(part.length), 16 + i * 16)
    at += part.length
  }
  header.set([1, 1, 1, 2, 0, 0], 96)
  for (const [i, degrees] of [-180, -85, 180, 85].entries()) {
    header.writeInt32LE(degrees * 1e7, 102 + i * 4)
  }
  return Buffer.concat([header, ...parts])
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}
