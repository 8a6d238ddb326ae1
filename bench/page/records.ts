import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from '../figures.ts'

/** What a script prints with `--json`. */
export type Printed = {
  title: string
  machine: string
  passed: boolean
  figures: JudgedFigure[]
}

export type JudgedFigure = Figure & { met: boolean }

/** What a script has measured, where and with what. */
export type BenchRecord = Printed & {
  name: string
  /** When it ended, ISO 8601. */
  at: string
  /** Whether with less of everything; the figures are rough then. */
  small: boolean
  /** How long it took. */
  seconds: number
  /** The share of the processors' time that a virtual machine's host gave to others meanwhile, where that is known. */
  stolen?: number
  /** Of what was measured, by name. */
  versions: Record<string, string>
}

const FOLDER = join(import.meta.dirname, '../records')

/** Keeps it in place of the script's last one; but rough figures take no full ones' place. */
export function keepRecord(record: BenchRecord): boolean {
  const last = readRecord(record.name)
  if (record.small && last !== undefined && !last.small) return false
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(fileOf(record.name), `${JSON.stringify(record, null, 2)}\n`)
  return true
}

/** Of the script's last run; undefined where it has not been run. */
export function readRecord(name: string): BenchRecord | undefined {
  const file = fileOf(name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.json`)
}
