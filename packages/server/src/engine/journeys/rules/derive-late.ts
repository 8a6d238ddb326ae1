import type { TimeRange } from '../../../base/domain/time/time.ts'
import { type Work, waitFor } from '../../tracking/work.ts'
import { ABSENCE_MS, advanceRecords } from './advance-records.ts'
import type { Book, Entry } from './book.ts'
import { type Draft, openDrafts, stopDraft, visitDraft } from './drafts.ts'
import {
  isStill,
  type Move,
  moveBetween,
  movedCheckpoint,
  movedProgress,
  movedRecord,
  movedVisit,
} from './moved.ts'
import { isSamePlace } from './place-index.ts'
import {
  BEFORE_ALL,
  CHUNK_ROWS,
  type Checkpoint,
  type Derivation,
  FIRST_CHUNK_ROWS,
  noProgress,
  type Progress,
  progressAt,
  type RecordSource,
} from './progress.ts'
import { packCheckpoint, unpackCheckpoint } from './progress-form.ts'

type Late = { progress: Progress; unfinished: TimeRange[]; rows: number }

/**
 * Derives the touched ranges that begin at or before the newest row of `progress`, each from the stop before it
 * to a later stop from which on only counters changed.
 */
export function* deriveLate(derivation: Derivation, book: Book, progress: Progress): Work<Late> {
  const newest = progress.previous?.time ?? BEFORE_ALL
  let ranges = inOrder(derivation.touched.filter(({ from }) => from <= newest))
  const late: Late = { progress, unfinished: [], rows: 0 }
  while (ranges.length > 0) {
    const start = yield* startBefore(derivation, book, ranges[0]!.from)
    const run = new LateRun(derivation, book, start, ranges)
    const end = yield* run.derive(newest, derivation.limit - late.rows)
    late.rows += run.rows
    if (end.is === 'newest') return { ...late, progress: run.progress }
    if (end.is === 'limit') {
      const newer = derivation.touched.filter(({ from }) => from > newest)
      return { ...late, unfinished: [...end.unfinished, ...newer] }
    }
    if (!isStill(end.move)) late.progress = movedProgress(end.move, late.progress)
    ranges = end.left
  }
  return late
}

/** Sorted and joined where they overlap. */
function inOrder(touched: readonly TimeRange[]): TimeRange[] {
  const ranges: TimeRange[] = []
  for (const { from, to } of [...touched].sort((a, b) => a.from - b.from)) {
    const last = ranges.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else ranges.push({ from, to })
  }
  return ranges
}

/** The newest checkpoint that no row from `time` on can move. Null: the derivation begins at the first row. */
function* startBefore({ source }: Derivation, book: Book, time: number): Work<Checkpoint | null> {
  for (let stop = book.stopBefore(time); stop; stop = book.stopBefore(stop.record.start)) {
    const checkpoint = unpackCheckpoint(stop.checkpoint!)
    if (checkpoint.settledAt < time) return checkpoint
  }
  const start = yield* storedStart(source, time)
  book.loadAll(yield* source.recordsFrom(start === null ? BEFORE_ALL : oldestVisit(start)))
  return start
}

/** A visit that was absent at the stop may still continue. A stop at a confirmed row may even follow a silence. */
function oldestVisit({ row, visits }: Checkpoint): number {
  return visits.reduce((oldest, { inside }) => Math.min(oldest, inside), row.time - ABSENCE_MS)
}

function* storedStart(source: RecordSource, time: number): Work<Checkpoint | null> {
  let stop = yield* source.stopBefore(time)
  while (stop !== null) {
    const checkpoint = unpackCheckpoint(stop.checkpoint!)
    if (checkpoint.settledAt < time) return checkpoint
    stop = yield* source.stopBefore(stop.record.start)
  }
  return null
}

type End =
  /** The newest derived row was reached. */
  | { is: 'newest' }
  /** All that follows a stop only moved. `left`: the ranges after it. */
  | { is: 'moved'; move: Move; left: TimeRange[] }
  | { is: 'limit'; unfinished: TimeRange[] }

/** The rows from a stop on, derived again. */
class LateRun {
  readonly progress: Progress
  rows = 0
  private readonly derivation: Derivation
  private readonly book: Book
  private readonly start: Checkpoint | null
  /** The touched ranges that are not passed. */
  private ranges: TimeRange[]
  private readonly drafts: Draft[] = []

  constructor(derivation: Derivation, book: Book, start: Checkpoint | null, ranges: TimeRange[]) {
    this.derivation = derivation
    this.book = book
    this.start = start
    this.ranges = ranges
    this.progress = start === null ? noProgress() : progressAt(start)
  }

  *derive(newest: number, limit: number): Work<End> {
    const { source, places, pause } = this.derivation
    for (let size = FIRST_CHUNK_ROWS; ; size = CHUNK_ROWS) {
      const chunk = yield* source.rows(this.progress.previous?.time ?? BEFORE_ALL, size)
      for (const row of chunk) {
        const stop = advanceRecords(this.progress, places, row, this.drafts)
        this.rows += 1
        const paused = pause?.()
        if (paused) yield* waitFor(paused)
        const end = stop === null ? null : this.endAt(stop, this.rows >= limit && row.time < newest)
        if (end !== null) return end
        if (row.time >= newest) return this.reachNewest()
      }
      if (chunk.length < size) return this.reachNewest()
    }
  }

  private reachNewest(): End {
    const old = this.entriesUntil(Number.POSITIVE_INFINITY)
    this.book.replace(old, [...this.drafts, ...openDrafts(this.progress)])
    return { is: 'newest' }
  }

  /** Whether the derivation ends at a stop that the newest row settled, and how. Null: it continues. */
  private endAt(stop: Checkpoint, isAtLimit: boolean): End | null {
    this.ranges = this.ranges.filter(({ to }) => to >= stop.row.time)
    const [next] = this.ranges
    if (next === undefined || next.from > stop.settledAt) {
      const move = this.moveAt(stop)
      if (move !== null) return { is: 'moved', move, left: this.ranges }
    }
    return isAtLimit ? { is: 'limit', unfinished: this.leaveAt(stop) } : null
  }

  /** Takes the drafts up to a stop, and moves what follows it. Null if more than that changed. */
  private moveAt(stop: Checkpoint): Move | null {
    const { book } = this
    const entry = book.stopAt(stop.row.time)
    if (entry === undefined || entry.checkpoint === null) return null
    const move = moveBetween(unpackCheckpoint(entry.checkpoint), stop)
    if (move === null) return null
    const under: Pick<Draft, 'record' | 'checkpoint'>[] = []
    for (const { was, is } of move.visits) {
      const visit = book.visitOf(was)
      if (visit === null) return null
      under.push({ record: movedVisit(move, visit, was, is), checkpoint: null })
    }
    const later = isStill(move) ? [] : book.segmentsFrom(stop.row.time)
    book.replace(this.entriesUntil(stop.row.time), [...this.draftsUntil(stop), ...under])
    for (const each of later) {
      each.record = movedRecord(move, each.record)
      if (each.checkpoint === null) continue
      book.setCheckpoint(each, movedCheckpoint(move, unpackCheckpoint(each.checkpoint)))
    }
    book.setCheckpoint(entry, stop)
    return move
  }

  /**
   * Takes the drafts up to a stop, and what is under way there as open records, so that another derivation can
   * start there. Returns what is left.
   */
  private leaveAt(stop: Checkpoint): TimeRange[] {
    const { book, progress } = this
    const { time } = stop.row
    const under = stop.visits.map((visit) => {
      const draft = visitDraft(visit, null)
      const stored = book.visitOf(visit)
      // Most derivations of a range find the visit as it was. Nobody has to see it open in between.
      return stored !== null && stored.until >= visit.inside ? { ...draft, record: stored } : draft
    })
    book.replace(this.entriesUntil(time), [...this.draftsUntil(stop), ...under])
    const entry = book.stopAt(time)
    if (entry !== undefined) book.setCheckpoint(entry, stop)
    else {
      const ended = this.drafts.find(({ checkpoint }) => checkpoint === packCheckpoint(stop))
      const { segment } = progress
      if (ended !== undefined) book.add(ended)
      else if (segment?.kind === 'stop') book.add(stopDraft(segment, stop.settledAt, false))
    }
    book.dropCheckpoints(time, stop.settledAt)
    const from = stop.settledAt + 1
    const passed = this.ranges.filter((range) => range.from <= from)
    const to = passed.reduce((last, range) => Math.max(last, range.to), from)
    return [{ from, to }, ...this.ranges.filter((range) => range.from > from)]
  }

  /** The records that the derivation of the rows up to the start of a stop replaces. */
  private entriesUntil(end: number): Entry[] {
    const start = this.start?.row.time ?? BEFORE_ALL
    return [...this.book.all()].filter(({ record }) => {
      if (record.kind !== 'visit') return record.start >= start && record.start < end
      if (record.start > end) return false
      if (record.start > start || record.end === null || record.until > start) return true
      return this.start!.visits.some(
        (visit) => visit.start === record.start && isSamePlace(visit, record),
      )
    })
  }

  /** The drafts of trips and stops that start before a stop, and of visits that ended before it. */
  private draftsUntil({ row, visits }: Checkpoint): Draft[] {
    return this.drafts.filter(({ record }) => {
      if (record.kind !== 'visit') return record.start < row.time
      if (record.start > row.time) return false
      return !visits.some((visit) => visit.start === record.start && isSamePlace(visit, record))
    })
  }
}
