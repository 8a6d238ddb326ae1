import { type AttributeNames, NO_NAMES } from '../../domain/attributes/attribute-section.ts'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import type { ReaderView } from '../../store/change-log.ts'
import { RowReader } from '../row-reader.ts'
import { AttributeSpans, type Summaries, VALUE_ROWS } from './attribute-spans.ts'

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
    const spans = new AttributeSpans(this.entries, await this.namesOf(object))
    if (spans.isEmpty) return spans
    let rows = 0
    for await (const chunk of this.reader.before(object, at)) {
      for (const row of chunk) {
        rows += 1
        const isKept = row.time >= this.keptFrom && rows <= VALUE_ROWS
        if (!isKept || !spans.lead(row)) return spans
      }
    }
    return spans
  }

  private async namesOf(object: number): Promise<AttributeNames> {
    if (this.last?.object !== object) {
      const states = await this.view.states([object])
      this.last = { object, names: states.get(object)?.attributes ?? NO_NAMES }
    }
    return this.last.names
  }
}
