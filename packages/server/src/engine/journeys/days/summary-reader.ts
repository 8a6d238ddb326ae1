import type {
  AttributeEntry,
  StoredAttribute,
} from '../../../base/domain/attributes/attribute-catalogue.ts'
import type { ShownFrom } from '../../../base/domain/organization.ts'
import { type AttributeNames, NO_NAMES } from '../../../base/domain/position/attribute-section.ts'
import { rangeAt } from '../../../base/domain/time/ranges.ts'
import type { ReaderView } from '../../store/change-log.ts'
import { LevelTrack, type ReadLevel } from '../levels/level-track.ts'
import { RowReader } from '../row-reader.ts'
import { AttributeSpans, type Summaries } from './attribute-spans.ts'
import { VALUE_ROWS } from './counter-gain.ts'
import { HeldText } from './held-value.ts'

/** The view in which rows are read together with the names of their attributes. */
export type AttributeView = Pick<
  ReaderView,
  'rows' | 'rowsBefore' | 'states' | 'checkpoint' | 'intervals'
>

/** The time of a record of an object, both ends included. */
type RecordTime = { readonly object: number; readonly start: number; readonly until: number }

/** `begins`: the interval of its rows, if a key sees only some. */
type KnownTrack = { object: number; begins: number | undefined; track: LevelTrack }

/** Reads the attributes of records from the stored rows in their times, hidden ones too. */
export class SummaryReader {
  private readonly view: AttributeView
  private readonly entries: readonly StoredAttribute[]
  private readonly keptFrom: ShownFrom
  private readonly reader: RowReader
  private last: { object: number; names: AttributeNames } | undefined
  /** By entry, of the last object. */
  private readonly tracks = new Map<StoredAttribute, KnownTrack>()

  /** Rows of an object before `keptFrom` are deleted at some time, and count nothing. */
  constructor(
    view: AttributeView,
    entries: readonly StoredAttribute[],
    keptFrom: ShownFrom,
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
    if (!spans.isEmpty) await this.read(object, start, until, spans)
    return this.withLevels(object, spans.close(until), start, until)
  }

  private async read(
    object: number,
    start: number,
    until: number,
    spans: AttributeSpans,
  ): Promise<void> {
    spans.open(start, start)
    for await (const chunk of this.reader.from(object, Math.max(start, this.keptFrom(object)))) {
      for (const row of chunk) {
        if (row.time > until) return
        spans.add(row)
      }
    }
  }

  /** The attributes of a span of an object, with its levels. */
  async withLevels(
    object: number,
    summaries: Summaries,
    start: number,
    end: number,
  ): Promise<Summaries> {
    if (!this.entries.some(({ isLevel }) => isLevel)) return summaries
    const all = [...summaries]
    for (const [index, entry] of this.entries.entries()) {
      if (!entry.isLevel) continue
      const track = await this.trackOf(entry, object, start)
      const level = await track.over(start, end)
      if (level === null) continue
      const { used, filled, drained, ...rest } = level
      all[index] = { ...rest, gain: null, sums: { used, filled, drained } }
    }
    return all
  }

  private async trackOf(
    entry: StoredAttribute,
    object: number,
    start: number,
  ): Promise<LevelTrack> {
    const known = this.tracks.get(entry)
    const { intervals } = this.view
    const begins = intervals && rangeAt(intervals(object), start)?.from
    const isSame = known?.object === object && known.begins === begins
    if (isSame && known.track.at <= start) return known.track
    const first = Math.max(begins ?? 0, this.keptFrom(object))
    const level: ReadLevel = {
      ...{ entry, object, names: await this.namesOf(object) },
      rowsFrom: (time) => this.reader.from(object, Math.max(time, first)),
      changeBefore: (time) => this.view.checkpoint(object, time, entry.id),
    }
    const track = new LevelTrack(level, start)
    this.tracks.set(entry, { object, begins, track })
    return track
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
    const kept = this.keptFrom(object)
    let rows = 0
    for await (const chunk of this.reader.before(object, at)) {
      for (const row of chunk) {
        rows += 1
        const isKept = row.time >= kept && rows <= VALUE_ROWS
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
