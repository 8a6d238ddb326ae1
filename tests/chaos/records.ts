import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from './part.ts'

/** The findings of one run of one part. */
export type TrialRecord = {
  name: string
  /** The end of the run, ISO 8601. */
  at: string
  seed: number
  /** Whether the run used the full amounts. */
  hours: boolean
  times: number
  /** Duration of the run. */
  seconds: number
  findings: Finding[]
}

const FOLDER = join(import.meta.dirname, 'records')

/** Replaces the record of the part's last run. */
export function keepRecord(record: TrialRecord): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(fileOf(record.name), `${JSON.stringify(record, null, 2)}\n`)
}

/** The record of the part's last run; undefined before the first run. */
export function readRecord(name: string): TrialRecord | undefined {
  const file = fileOf(name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.json`)
}
