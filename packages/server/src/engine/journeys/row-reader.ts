import type { AttributeEntry } from '../../base/domain/attributes/catalogue.ts'
import { type InTurn, openTurns, SLICE_MS, takeTurn } from '../../base/domain/common/slots.ts'
import { type AttributeNames, NO_NAMES } from '../../base/domain/position/attribute-section.ts'
import type { ReaderView } from '../store/change-log.ts'
import type { RecordView } from '../store/record-store.ts'
import type { TrackRow } from '../tracking/track-row.ts'
import { AttributeSpans, type Summaries } from './days/attribute-spans.ts'
import { VALUE_ROWS } from './days/counter-gain.ts'
import { HeldText } from './days/held-value.ts'

/** The first reads are small, because most ranges end soon. */
const FIRST_ROWS = 200

const GROWTH = 4

const MAX_ROWS = 1_000

/** A read takes as long as this many rows: 20 on SQLite, 200 on PostgreSQL. */
const ROWS_OF_A_READ = 100

export type StoredRows = Pick<RecordView, 'rows' | 'rowsBefore'>

/** Reads the rows of objects in chunks, at constant memory, and lets others run in between. */
export class RowReader {
  /** The rows that were read. Each read also counts as the number of rows that take as long. */
  cost = 0
  private readonly stored: StoredRows
  private turnAt = performance.now() + SLICE_MS

  constructor(stored: StoredRows) {
    this.stored = stored
  }

  /** The rows of an object from a moment on, in order. No chunk is empty. */
  async *from(object: number, time: number): AsyncGenerator<readonly TrackRow[]> {
    let after = time - 1
    for (let size = FIRST_ROWS; ; size = Math.min(size * GROWTH, MAX_ROWS)) {
      const chunk = await this.take(this.stored.rows(object, after, size))
      if (chunk.length > 0) yield chunk
      if (chunk.length < size) return
      after = chunk.at(-1)!.time
    }
  }

  /** The rows of an object before a moment, newest first, `first` of them in the first chunk. No chunk is empty. */
  async *before(object: number, time: number, first = 1): AsyncGenerator<readonly TrackRow[]> {
    let before = time
    for (let size = first; ; size = Math.min(size * GROWTH, MAX_ROWS)) {
      const chunk = await this.take(this.stored.rowsBefore(object, before, size))
      if (chunk.length > 0) yield chunk.toReversed()
      if (chunk.length < size) return
      before = chunk[0]!.time
    }
  }

  private async take(reading: Promise<TrackRow[]>): Promise<TrackRow[]> {
    const chunk = await reading
    this.cost += chunk.length + ROWS_OF_A_READ
    await this.pause()
    return chunk
  }

  /** Lets others run if the turn has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() < this.turnAt) return
    await takeTurn()
    this.turnAt = performance.now() + SLICE_MS
  }
}

/** The memory of a process holds this many reports at once, and those of one organization leave room for others. */
const AT_ONCE = 4

const OF_ORGANIZATION = 2

/** Runs reports, some at a time in this process. */
export function openReportTurns(): InTurn {
  return openTurns(AT_ONCE, OF_ORGANIZATION)
}

/** The view in which rows are read together with the names of their attributes. */
export type AttributeView = Pick<ReaderView, 'rows' | 'rowsBefore' | 'states'>

/** The time of a record of an object, both ends included. */
type RecordTime = { readonly object: number; readonly start: number; readonly until: number }

/** Reads the attributes of records from the stored rows in their times, hidden ones too. */
export class SummaryReader {
  private readonly view: AttributeView
  private readonly entries: readonly AttributeEntry[]
  private readonly keptFrom: number
  private readonly reader: RowReader
  private last: { object: number; names: AttributeNames } | undefined

  /** Rows before `keptFrom` are deleted at some time, and count nothing. */
  constructor(
    view: AttributeView,
    entries: readonly AttributeEntry[],
    keptFrom: number,
    reader = new RowReader(view),
  ) {
    this.view = view
    this.entries = entries
    this.keptFrom = keptFrom
    this.reader = reader
  }

  /** The rows that were read. Each read also counts as the number of rows that take as long. */
  get cost(): number {
    return this.reader.cost
  }

  async of({ object, start, until }: RecordTime): Promise<Summaries> {
    const spans = await this.begun(object, start)
    if (spans.isEmpty) return spans.close(until)
    spans.open(start, start)
    for await (const chunk of this.reader.from(object, Math.max(start, this.keptFrom))) {
      for (const row of chunk) {
        if (row.time > until) return spans.close(until)
        spans.add(row)
      }
    }
    return spans.close(until)
  }

  /** The attributes of an object with the values that hold at a moment. */
  async begun(object: number, at: number): Promise<AttributeSpans> {
    const spans = new AttributeSpans(this.entries, object, await this.namesOf(object))
    if (!spans.isEmpty) await this.lead(object, at, spans)
    return spans
  }

  /** The text of an entry, as it holds at a moment. */
  async textAt(object: number, at: number, entry: AttributeEntry): Promise<HeldText> {
    const text = new HeldText(entry, object, await this.namesOf(object))
    await this.lead(object, at, text)
    return text
  }

  private async lead(object: number, at: number, taker: Pick<HeldText, 'lead'>): Promise<void> {
    let rows = 0
    for await (const chunk of this.reader.before(object, at)) {
      for (const row of chunk) {
        rows += 1
        const isKept = row.time >= this.keptFrom && rows <= VALUE_ROWS
        if (!isKept || !taker.lead(row)) return
      }
    }
  }

  private async namesOf(object: number): Promise<AttributeNames> {
    if (this.last?.object !== object) {
      const states = await this.view.states([object])
      this.last = { object, names: states.get(object)?.attributes ?? NO_NAMES }
    }
    return this.last.names
  }
}
