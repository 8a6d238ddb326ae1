import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../harness/fleetgate.ts'

/** The rows of an NDJSON file. */
export function linesOf(...path: string[]): Json[] {
  const text = readFileSync(join(...path), 'utf8')
  if (text === '') return []
  if (!text.endsWith('\n')) throw new Error(`${join(...path)} has no end`)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** All positions that a pull wrote as NDJSON, by object, each in the order of its files. */
export function positionsIn(out: string): Map<number, Json[]> {
  const rows = new Map<number, Json[]>()
  const folder = join(out, 'positions')
  for (const file of existsSync(folder) ? readdirSync(folder).sort() : []) {
    for (const row of linesOf(folder, file)) {
      if (!row.time_device.startsWith(file.slice(0, 10)))
        throw new Error(`${file} has ${row.time_device}`)
      rows.set(row.id, [...(rows.get(row.id) ?? []), row])
    }
  }
  return rows
}
