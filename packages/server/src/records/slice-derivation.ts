import type { TimeRange } from '../domain/time/time-range.ts'
import { takeTurn } from '../domain/turn.ts'
import type { TrackRow } from '../fold/track-row.ts'
import { atHand, runAwaiting, waitFor } from '../fold/work.ts'
import type { ChangeView } from '../store/change-log.ts'
import type { DerivedObject } from '../store/record-store.ts'
import type { RecordSource } from './rules/derivation.ts'
import { derive } from './rules/derive.ts'
import type { PlaceIndex } from './rules/place-index.ts'
import { newestTime } from './rules/progress-form.ts'
import type { TaskList } from './task-list.ts'
import { BEHIND_ALL } from './touched.ts'

/** Rows after which the derivation of an object is left to another slice. */
const MAX_OBJECT_ROWS = 2_000
/** Objects whose reads are under way at once. */
const AT_ONCE = 16
const TAILS_AT_ONCE = 200
/** Others run after this time. */
const TURN_MS = 2

/** All rows of an object behind a time. */
type RowsBehind = { time: number; rows: readonly TrackRow[] }

/** Derives objects of an organization, each once, as of the moment of a view. */
export class SliceDerivation {
  readonly objects: DerivedObject[] = []
  rows = 0
  private readonly view: ChangeView
  private readonly places: PlaceIndex
  private readonly tasks: TaskList
  /** The ranges of the objects that are not derived yet. */
  private readonly touched: Map<number, TimeRange[]>
  private readonly derived = new Set<number>()
  private turnAt = performance.now() + TURN_MS
  lastId: number

  constructor(
    view: ChangeView,
    places: PlaceIndex,
    tasks: TaskList,
    touched: Map<number, TimeRange[]>,
    lastId: number,
  ) {
    this.view = view
    this.places = places
    this.tasks = tasks
    this.touched = touched
    this.lastId = lastId
  }

  /** Whether an object was derived, so that the view shows its records as they were before. */
  has(object: number): boolean {
    return this.derived.has(object)
  }

  /** Derives these ranges of an object, with all that is left to derive of it. */
  async deriveRanges(object: number, ranges: readonly TimeRange[]): Promise<void> {
    await this.derive(object, ranges, (await this.view.tails([object])).get(object))
  }

  /** Derives the touched objects. Those for which the slice has no time become tasks. */
  async deriveTouched(maxRows: number): Promise<void> {
    const ids = [...this.touched.keys()]
    for (let from = 0; from < ids.length; from += TAILS_AT_ONCE) {
      const all = ids.slice(from, from + TAILS_AT_ONCE)
      const tails = await this.view.tails(all)
      // The first derivation of an object comes to all of its rows.
      const slice = all.filter((id) => tails.has(id) || !this.tasks.isAhead(id))
      const rows = await this.rowsBehind(tails)
      for (let at = 0; at < slice.length; at += AT_ONCE) {
        const together = slice.slice(at, at + AT_ONCE)
        if (this.rows < maxRows) {
          await Promise.all(together.map((id) => this.derive(id, [], tails.get(id), rows.get(id))))
        } else {
          for (const id of together) this.tasks.leave(id, this.takeRanges(id))
        }
      }
    }
  }

  /** Reads the rows behind the tails at once: few of an object, because all before them is derived. */
  private async rowsBehind(
    tails: ReadonlyMap<number, Uint8Array>,
  ): Promise<Map<number, RowsBehind>> {
    const times = new Map([...tails].map(([object, tail]) => [object, newestTime(tail)]))
    const found = await this.view.rowsBehind(times)
    return new Map(
      [...times].map(([object, time]) => [object, { time, rows: found.get(object) ?? [] }]),
    )
  }

  private takeRanges(object: number): TimeRange[] {
    const ranges = this.touched.get(object) ?? []
    this.touched.delete(object)
    const left = this.tasks.rangeOf(object)
    return left === undefined ? ranges : [...ranges, left]
  }

  private async derive(
    object: number,
    ranges: readonly TimeRange[],
    before: Uint8Array | undefined,
    behind?: RowsBehind,
  ): Promise<void> {
    this.derived.add(object)
    const touched = [...ranges, ...this.takeRanges(object)]
    const derived = await runAwaiting(
      derive({
        source: this.sourceOf(object, behind),
        tail: before ?? null,
        touched,
        places: this.places,
        nextId: () => {
          this.lastId += 1
          return this.lastId
        },
        limit: MAX_OBJECT_ROWS,
      }),
    )
    this.rows += derived.rows
    this.tasks.leave(object, derived.unfinished)
    const { puts, deletes, tail } = derived
    if (puts.length > 0 || deletes.length > 0 || !isEqual(tail, before ?? null)) {
      this.objects.push({ object, puts, deletes, tail })
    }
    await this.letOthersRun()
  }

  /** Each read lets others run first, if it is their turn. */
  private sourceOf(object: number, behind?: RowsBehind): RecordSource {
    const { view } = this
    const inTurn = <T>(read: () => Promise<T>) => waitFor(this.letOthersRun().then(read))
    return {
      rows: (after, limit) =>
        after === behind?.time
          ? atHand(behind.rows.slice(0, limit))
          : inTurn(() => view.rows(object, after, limit)),
      stopBefore: (time) => inTurn(() => view.checkpoint(object, time - 1)),
      recordsFrom: (time) => inTurn(() => view.recordsIn(object, { from: time, to: BEHIND_ALL })),
    }
  }

  private async letOthersRun(): Promise<void> {
    if (performance.now() < this.turnAt) return
    await takeTurn()
    this.turnAt = performance.now() + TURN_MS
  }
}

function isEqual(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0)
}
