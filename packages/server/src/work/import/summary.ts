import { addAll } from '../../base/domain/common/any-number.ts'
import type { Withheld } from '../../engine/tracking/rules/judge.ts'
import { type ColumnUse, type Fault, noColumns, type Row } from './row.ts'

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

/** The outcomes of a source's rows: read = accepted + duplicate + conflict + rejected + withheld. */
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
  /** Rows that are neither stored nor shown here, by reason. */
  withheld: { [Reason in Withheld]?: number }
  /** Rejected rows by reason. */
  reasons: Record<string, LineTally>
  /** Things of the source that are not what the import takes, by their kind. They are not in `read`. */
  omitted: Record<string, LineTally>
  duplicates: LineTally
  conflicts: LineTally
  columns: ColumnUse
  /** The source was truncated. */
  truncated: boolean
  /** Further remarks, as sentences. */
  notes: string[]
  /** Why the rest was not read, as a sentence. Null if all was read. */
  stopped: string | null
  /** Whether everything of the kind asked for is in: `shortfallOf` finds nothing. */
  complete: boolean
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
    withheld: {},
    reasons: {},
    omitted: {},
    duplicates: { count: 0, first: [] },
    conflicts: { count: 0, first: [] },
    columns: noColumns(),
    truncated: false,
    notes: [],
    stopped: null,
    complete: true,
  }
}

export function countRejected(summary: ImportSummary, row: ShownRow, fault: Fault): void {
  const { reason } = fault
  if (reason === 'truncated') summary.truncated = true
  summary.rejected += 1
  tally(tallyOf(summary.reasons, reason), summary.file, row, fault.detail)
}

export function countOmitted(summary: ImportSummary, row: ShownRow, fault: Fault): void {
  tally(tallyOf(summary.omitted, fault.reason), summary.file, row, fault.detail)
}

export function countDuplicate(summary: ImportSummary, row: ShownRow, detail: string): void {
  summary.duplicate += 1
  tally(summary.duplicates, summary.file, row, detail)
}

export function countConflict(summary: ImportSummary, row: ShownRow, detail: string): void {
  summary.conflict += 1
  tally(summary.conflicts, summary.file, row, detail)
}

/** Kinds of faults and of omitted things. A file can name its things as it likes, and any number of them. */
const MAX_KINDS = 100
const OTHERS = 'other_things'

/** The tally of a kind. An assignment to a kind such as `__proto__` would change all objects. */
function tallyOf(by: Record<string, LineTally>, kind: string): LineTally {
  if (Object.hasOwn(by, kind)) return by[kind]!
  const isFull = Object.hasOwn(by, OTHERS) || Object.keys(by).length >= MAX_KINDS
  if (isFull && kind !== OTHERS) return tallyOf(by, OTHERS)
  const value: LineTally = { count: 0, first: [] }
  Object.defineProperty(by, kind, { value, enumerable: true, writable: true, configurable: true })
  return value
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
    for (const [reason, count] of Object.entries(summary.withheld) as [Withheld, number][]) {
      total.withheld[reason] = (total.withheld[reason] ?? 0) + count
    }
    addTally(total.duplicates, summary.duplicates)
    addTally(total.conflicts, summary.conflicts)
    for (const by of ['reasons', 'omitted'] as const) {
      for (const [reason, each] of Object.entries(summary[by])) {
        addTally(tallyOf(total[by], reason), each)
      }
    }
    total.truncated ||= summary.truncated
    addAll(total.notes, summary.notes)
    total.stopped ??= summary.stopped
    total.complete &&= summary.complete
  }
  return total
}

/**
 * A sentence about what the import was asked for and what is not in. Null if all is in. A file that has only things
 * of other kinds is the wrong file.
 */
export function shortfallOf(summary: ImportSummary): string | null {
  const { read, rejected, conflict, stopped, truncated } = summary
  const number = (count: number) => count.toLocaleString('en')
  if (stopped !== null) return stopped
  if (truncated) return 'a file is cut off: only its complete rows were imported'
  if (rejected > 0 && rejected === read) {
    return `nothing was imported: all ${number(read)} rows were rejected`
  }
  if (rejected + conflict > 0) {
    return `${number(rejected + conflict)} of ${number(read)} rows were not imported: ${number(rejected)} rejected, ${number(conflict)} in conflict with another`
  }
  const others = Object.entries(summary.omitted)
  if (read > 0 || others.length === 0) return null
  const found = others.map(
    ([thing, { count }]) => `${number(count)} × ${thing.replaceAll('_', ' ')}`,
  )
  return `nothing was imported: the file has nothing for this import, only ${found.join(', ')}`
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
