import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from './part.ts'

/** What one run of one part has found. */
export type TrialRecord = {
  name: string
  /** When it ended, ISO 8601. */
  at: string
  seed: number
  /** Whether with the full amounts, and how many times those. */
  hours: boolean
  times: number
  /** How long it took. */
  seconds: number
  findings: Finding[]
}

const FOLDER = join(import.meta.dirname, 'records')

/** Keeps it in place of the one of the part's last run. */
export function keepRecord(record: TrialRecord): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(fileOf(record.name), `${JSON.stringify(record, null, 2)}\n`)
}

/** Of the part's last run; undefined where it has not been run. */
export function readRecord(name: string): TrialRecord | undefined {
  const file = fileOf(name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.json`)
}
