import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Kind, Stored } from './stored.ts'

/** Entries of a block: enough to compress well, and few enough that many blocks fit into memory. */
export const BLOCK_ENTRIES = 1_000

/** Columns whose neighbours are close to each other. They are kept as differences. */
const DIFFERENCES = [
  ...(['id', 'time', 'asOf', 'timeServer'] as const),
  ...(['odometerMm', 'mileageMm', 'engineHoursMs'] as const),
]
const VALUES = [
  ...(['kind', 'until', 'latitude', 'longitude', 'altitude', 'angle', 'speed'] as const),
  'address' as const,
]

type Value = number | string | null
/** A column with one value for all entries is that value. */
type Column = Value | Value[]

const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Packs entries as compressed columns: about 25 bytes for a position. */
export function encodeBlock(entries: readonly Stored[]): Uint8Array {
  const columns: Record<string, Column | number> = { entries: entries.length }
  for (const name of VALUES) columns[name] = folded(entries.map((entry) => entry[name]))
  for (const name of DIFFERENCES) {
    columns[name] = folded(differences(entries.map((entry) => entry[name])))
  }
  return zstdCompressSync(JSON.stringify(columns), LEVEL)
}

export function decodeBlock(block: Uint8Array): Stored[] {
  const columns = JSON.parse(zstdDecompressSync(block).toString()) as Record<string, Column> & {
    entries: number
  }
  const { entries: length } = columns
  const values = (name: (typeof VALUES)[number]) => unfolded(columns[name]!, length)
  const sums = (name: (typeof DIFFERENCES)[number]) => summed(unfolded(columns[name]!, length))
  const [kind, until, latitude, longitude] = [
    values('kind'),
    values('until'),
    values('latitude'),
    values('longitude'),
  ]
  const [altitude, angle, speed, address] = [
    values('altitude'),
    values('angle'),
    values('speed'),
    values('address'),
  ]
  const [id, time, asOf, timeServer] = [sums('id'), sums('time'), sums('asOf'), sums('timeServer')]
  const [odometerMm, mileageMm, engineHoursMs] = [
    sums('odometerMm'),
    sums('mileageMm'),
    sums('engineHoursMs'),
  ]
  const entries = new Array<Stored>(length)
  for (let i = 0; i < length; i += 1) {
    entries[i] = {
      kind: kind[i] as Kind,
      id: id[i] as number,
      time: time[i] as number,
      until: until[i] as number | null,
      asOf: asOf[i] as number,
      latitude: latitude[i] as number | null,
      longitude: longitude[i] as number | null,
      altitude: altitude[i] as number | null,
      angle: angle[i] as number | null,
      speed: speed[i] as number | null,
      timeServer: timeServer[i] as number | null,
      odometerMm: odometerMm[i] as number | null,
      mileageMm: mileageMm[i] as number | null,
      engineHoursMs: engineHoursMs[i] as number | null,
      address: address[i] as string | null,
    }
  }
  return entries
}

function folded(values: Value[]): Column {
  const [first] = values
  return values.every((value) => value === first) ? (first ?? null) : values
}

function unfolded(column: Column, length: number): Value[] {
  return Array.isArray(column) ? column : new Array<Value>(length).fill(column)
}

/** Each number less the one before it. Null stays null. */
function differences(values: (number | null)[]): (number | null)[] {
  let before = 0
  return values.map((value) => {
    if (value === null) return null
    const difference = value - before
    before = value
    return difference
  })
}

function summed(values: Value[]): Value[] {
  let sum = 0
  return values.map((value) => {
    if (value === null) return null
    sum += value as number
    return sum
  })
}
