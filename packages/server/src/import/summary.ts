import { addAll } from '../domain/any-number.ts'
import type { Fault, Row } from './row.ts'
import { type ColumnUse, noColumns } from './row.ts'

/** A line of a source, for the summary. */
export type ShownLine = {
  file: string
  /** From 1. */
  line: number
  text: string
  /** The fault. */
  detail: string
}

/** The part of a row that a summary shows. */
export type ShownRow = Pick<Row, 'line' | 'text'>

export type LineTally = { count: number; first: ShownLine[] }

/** The outcomes of a source's rows: read = accepted + duplicate + conflict + rejected. */
export type ImportSummary = {
  file: string
  read: number
  accepted: number
  /** The same row existed already. */
  duplicate: number
  /** Another position of that moment existed already. The better one stays. */
  conflict: number
  rejected: number
  /** New and changed items of the catalogue, or objects created for positions. */
  created: number
  updated: number
  /** Rejected rows by reason. */
  reasons: Record<string, LineTally>
  duplicates: LineTally
  conflicts: LineTally
  columns: ColumnUse
  /** The source was truncated. */
  truncated: boolean
  /** Further remarks, as sentences. */
  notes: string[]
  /** Why the rest was not read, as a sentence. Null if all was read. */
  stopped: string | null
}

const SHOWN_LINES = 3
const SHOWN_CHARACTERS = 160

export function emptySummary(file: string): ImportSummary {
  return {
    file,
    read: 0,
    accepted: 0,
    duplicate: 0,
    conflict: 0,
    rejected: 0,
    created: 0,
    updated: 0,
    reasons: {},
    duplicates: { count: 0, first: [] },
    conflicts: { count: 0, first: [] },
    columns: noColumns(),
    truncated: false,
    notes: [],
    stopped: null,
  }
}

export function countRejected(summary: ImportSummary, row: ShownRow, fault: Fault): void {
  const { reason } = fault
  if (reason === 'truncated') summary.truncated = true
  summary.rejected += 1
  summary.reasons[reason] ??= { count: 0, first: [] }
  tally(summary.reasons[reason], summary.file, row, fault.detail)
}

export function countDuplicate(summary: ImportSummary, row: ShownRow, detail: string): void {
  summary.duplicate += 1
  tally(summary.duplicates, summary.file, row, detail)
}

export function countConflict(summary: ImportSummary, row: ShownRow, detail: string): void {
  summary.conflict += 1
  tally(summary.conflicts, summary.file, row, detail)
}

function tally(to: LineTally, file: string, row: ShownRow, detail: string): void {
  to.count += 1
  if (to.first.length >= SHOWN_LINES) return
  to.first.push({ file, line: row.line, text: row.text.slice(0, SHOWN_CHARACTERS), detail })
}

/** The sum of several summaries. */
export function totalOf(summaries: readonly ImportSummary[]): ImportSummary {
  const total = emptySummary(summaries.map(({ file }) => file).join(', '))
  for (const summary of summaries) {
    for (const key of COUNTS) total[key] += summary[key]
    addTally(total.duplicates, summary.duplicates)
    addTally(total.conflicts, summary.conflicts)
    for (const [reason, each] of Object.entries(summary.reasons)) {
      total.reasons[reason] ??= { count: 0, first: [] }
      addTally(total.reasons[reason], each)
    }
    total.truncated ||= summary.truncated
    addAll(total.notes, summary.notes)
    total.stopped ??= summary.stopped
  }
  return total
}

const COUNTS = [
  'read',
  'accepted',
  'duplicate',
  'conflict',
  'rejected',
  'created',
  'updated',
] as const

function addTally(to: LineTally, tally: LineTally): void {
  to.count += tally.count
  to.first = [...to.first, ...tally.first].slice(0, SHOWN_LINES)
}
