import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from '../figures.ts'

/** The output of a script with `--json`. */
export type Printed = {
  title: string
  machine: string
  figures: Figure[]
}

/** The result of a script, with the machine and the versions. */
export type BenchRecord = Printed & {
  name: string
  /** The end of the run, or its day, ISO 8601. */
  at: string
  /** Whether the run was small, which makes rough figures. */
  small: boolean
  /** Duration of the run; absent if it was run by hand. */
  seconds?: number
  /** The share of the processors' time that the host of a virtual machine gave to others meanwhile, if known. */
  stolen?: number
  /** Versions of the measured software, by name. */
  versions: Record<string, string>
}

const FOLDER = join(import.meta.dirname, '../records')

/** Replaces the script's last record, but never a full one with a small one. Returns whether it did. */
export function keepRecord(record: BenchRecord): boolean {
  const last = readRecord(record.name)
  if (record.small && last !== undefined && !last.small) return false
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(fileOf(record.name), `${JSON.stringify(record, null, 2)}\n`)
  return true
}

/** The record of the script's last run; undefined before the first run. */
export function readRecord(name: string): BenchRecord | undefined {
  const file = fileOf(name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.json`)
}
