import { takeTurn } from '../../base/domain/common/slots.ts'
import { NO_NAMES } from '../../base/domain/position/attribute-section.ts'
import type { ObjectState } from '../../base/domain/position/object-state.ts'
import { LAST_TIME, type TimeRange } from '../../base/domain/time/time.ts'
import type { ChangeView } from '../store/change-log.ts'
import type { DerivedObject } from '../store/record-store.ts'
import type { TrackRow } from '../tracking/track-row.ts'
import { atHand, runAwaiting, waitFor } from '../tracking/work.ts'
import type { LevelEntries } from './levels/level-digests.ts'
import type { LevelProgress } from './levels/level-progress.ts'
import type { LevelRecords } from './levels/level-source.ts'
import { deriveObjectLevels, levelsBefore, type ObjectLevels } from './levels/object-levels.ts'
import { type ObjectProgress, packObjectProgress, unpackObjectProgress } from './object-progress.ts'
import { isPermanent, type KnownProgress } from './retries.ts'
import { derive } from './rules/derive.ts'
import type { PlaceIndex } from './rules/place-index.ts'
import type { Derived, RecordSource } from './rules/progress.ts'
import type { TaskList } from './task-list.ts'

/** Rows after which the derivation of an object is left to another slice. */
const MAX_OBJECT_ROWS = 2_000
/** Objects whose reads are under way at once. */
const AT_ONCE = 16
const TAILS_AT_ONCE = 200
/** The types that `derive` makes. */
const JOURNEY_TYPES = ['trips', 'stops', 'visits'] as const
/** Others run after this time. */
const TURN_MS = 2

/** All rows of an object after a time. */
type LaterRows = { time: number; rows: readonly TrackRow[] }

export type SliceParts = {
  view: ChangeView
  places: PlaceIndex
  levels: LevelEntries
  tasks: TaskList
  known: KnownProgress
  /** The ranges of the objects that changed. */
  touched: Map<number, TimeRange[]>
  /** The objects that are folded again. */
  refolded: ReadonlySet<number>
  /** The last id that a record of the organization got. */
  lastId: number
  /** The time that changed records get. */
  now: number
}

/** Derives objects of an organization, each once, as of the moment of a view. */
export class SliceDerivation {
  readonly objects: DerivedObject[] = []
  rows = 0
  private readonly view: ChangeView
  private readonly places: PlaceIndex
  private readonly levels: LevelEntries
  private readonly tasks: TaskList
  private readonly known: KnownProgress
  private readonly now: number
  /** The ranges of the objects that are not derived yet. */
  private readonly touched: Map<number, TimeRange[]>
  private readonly derived = new Set<number>()
  /** The states of the objects that are derived together, which have the names of their attributes. */
  private states: ReadonlyMap<number, ObjectState> = new Map()
  readonly refolded: ReadonlySet<number>
  private turnAt = performance.now() + TURN_MS
  private pausing: Promise<void> | null = null
  lastId: number

  constructor(parts: SliceParts) {
    this.view = parts.view
    this.places = parts.places
    this.levels = parts.levels
    this.tasks = parts.tasks
    this.known = parts.known
    this.touched = parts.touched
    this.refolded = parts.refolded
    this.lastId = parts.lastId
    this.now = parts.now
  }

  /** Whether an object was derived, so that the view shows its records as they were before. */
  has(object: number): boolean {
    return this.derived.has(object)
  }

  /** Derives these ranges of an object, with all that is left to derive of it. */
  deriveRanges(object: number, ranges: readonly TimeRange[]): Promise<void> {
    const all = [...ranges, ...this.takeRanges(object)]
    return this.isolated(object, all, async () => {
      await this.derive(object, all, (await this.progress([object])).get(object))
    })
  }

  /** Runs work on ranges of an object. If that cannot be done, the ranges become a failed task. */
  async isolated(
    object: number,
    ranges: readonly TimeRange[],
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!isPermanent(error)) throw error
      this.derived.add(object)
      // The derivation may have changed it halfway.
      this.known.forget(object)
      this.tasks.failRanges(object, [...ranges, ...this.takeRanges(object)], this.now, error)
    }
  }

  /** Derives the touched objects. Those for which the slice has no time become tasks. */
  async deriveTouched(maxRows: number): Promise<void> {
    const ids = [...this.touched.keys()]
    for (let from = 0; from < ids.length; from += TAILS_AT_ONCE) {
      const all = ids.slice(from, from + TAILS_AT_ONCE)
      const known = await this.progress(all)
      // Skip objects that the history has not reached: their first derivation reads all of their rows.
      const slice = all.filter((id) => known.has(id) || !this.tasks.awaitsHistory(id))
      const rows = await this.laterRows(slice, known)
      if (this.levels.length > 0) this.states = await this.view.states(slice)
      for (let at = 0; at < slice.length; at += AT_ONCE) {
        const together = slice.slice(at, at + AT_ONCE)
        if (this.rows < maxRows) {
          await Promise.all(together.map((id) => this.deriveOne(id, known.get(id), rows.get(id))))
        } else {
          for (const id of together) this.tasks.setRemaining(id, this.takeRanges(id))
        }
      }
    }
  }

  private deriveOne(object: number, before?: ObjectProgress, later?: LaterRows): Promise<void> {
    const ranges = this.takeRanges(object)
    return this.isolated(object, ranges, () => this.derive(object, ranges, before, later))
  }

  /** The progress of these objects, as far as they have rows. Those with a fault fail. */
  private async progress(objects: readonly number[]): Promise<Map<number, ObjectProgress>> {
    const found = new Map<number, ObjectProgress>()
    const unknown: number[] = []
    for (const object of objects) {
      const progress = this.known.get(object)
      if (progress === undefined) unknown.push(object)
      else found.set(object, progress)
    }
    if (unknown.length === 0) return found
    const add = async (objects: readonly number[]) => {
      for (const [object, tail] of await this.view.tails(objects)) {
        found.set(object, unpackObjectProgress(tail))
      }
    }
    try {
      await add(unknown)
    } catch (error) {
      if (!isPermanent(error)) throw error
      for (const object of unknown) await this.isolated(object, [], () => add([object]))
    }
    return found
  }

  /**
   * Reads the rows after the derived ones at once: few of an object, because all before them is derived. An object
   * with a task may have any number of them, so its rows are read as they are derived.
   */
  private async laterRows(
    objects: readonly number[],
    known: ReadonlyMap<number, ObjectProgress>,
  ): Promise<Map<number, LaterRows>> {
    const times = new Map<number, number>()
    for (const object of objects) {
      const progress = known.get(object)
      if (progress !== undefined && this.tasks.rangeOf(object) === undefined) {
        times.set(object, progress.journeys.previous!.time)
      }
    }
    const later = new Map<number, LaterRows>()
    try {
      const found = await this.view.laterRows(times)
      for (const [object, time] of times) {
        later.set(object, { time, rows: found.get(object) ?? [] })
      }
    } catch (error) {
      // Each object reads its own rows then, so that only the one with the fault fails.
      if (!isPermanent(error)) throw error
    }
    return later
  }

  private takeRanges(object: number): TimeRange[] {
    const ranges = this.touched.get(object) ?? []
    this.touched.delete(object)
    const remaining = this.tasks.rangeOf(object)
    return remaining === undefined ? ranges : [...ranges, remaining]
  }

  private async derive(
    object: number,
    touched: readonly TimeRange[],
    before: ObjectProgress | undefined,
    later?: LaterRows,
  ): Promise<void> {
    this.derived.add(object)
    // A failed object waits for its next try. One that is folded again waits for the end, because each slice of the fold
    // moves the counters of all later rows, and so of all later records.
    if (this.refolded.has(object) || this.tasks.hasFailed({ kind: 'object', id: object })) {
      return this.tasks.setRemaining(object, touched)
    }
    const source = this.sourceOf(object, later)
    const levels = before?.levels ?? []
    const parts = { source, touched, places: this.places, nextId: this.nextId, now: this.now }
    const derived = await runAwaiting(
      derive({
        ...parts,
        progress: before?.journeys ?? null,
        pause: () => (this.isPausing() ? this.letOthersRun() : null),
        limit: MAX_OBJECT_ROWS,
      }),
    )
    const changes = await this.deriveLevels(object, parts, derived, levels)
    const puts = [...derived.puts, ...changes.puts]
    const deletes = [...derived.deletes, ...changes.deletes]
    const rows = derived.rows + changes.rows
    const journeys = derived.progress
    const progress = journeys && { journeys, levels: changes.levels }
    this.rows += rows
    this.tasks.setRemaining(object, [...derived.unfinished, ...changes.unfinished])
    if (progress !== null) this.known.set(object, progress)
    if (puts.length > 0 || deletes.length > 0 || rows > 0) {
      this.objects.push({ object, puts, deletes, tail: progress && packObjectProgress(progress) })
    }
    await this.letOthersRun()
  }

  /** Derives the changes of levels. They wait until the other records of touched rows are derived. */
  private async deriveLevels(
    object: number,
    parts: Omit<ObjectLevels, 'object' | 'names' | 'entries' | 'levels' | 'newest'>,
    { progress, unfinished }: Derived,
    levels: readonly LevelProgress[],
  ): Promise<Omit<Derived, 'progress'> & Pick<ObjectProgress, 'levels'>> {
    const nothing = { puts: [], deletes: [], rows: 0, unfinished: [], levels }
    if (this.levels.length === 0 && levels.length === 0) return nothing
    if (unfinished.length > 0) return { ...nothing, levels: levelsBefore(levels, parts.touched) }
    const states = this.states.has(object) ? this.states : await this.view.states([object])
    const names = states.get(object)?.attributes ?? NO_NAMES
    const newest = progress?.previous?.time ?? null
    const about = { object, names, entries: this.levels, levels, newest }
    const changes = await runAwaiting(deriveObjectLevels({ ...parts, ...about }))
    const left = changes.isCut ? [{ from: newest! + 1, to: LAST_TIME }] : []
    return { ...changes, unfinished: left }
  }

  private readonly nextId = (): number => {
    this.lastId += 1
    return this.lastId
  }

  /** Lets others run before and after each read, if it is their turn. */
  private sourceOf(object: number, later?: LaterRows): RecordSource & LevelRecords {
    const { view } = this
    const reading = async <T>(read: () => Promise<T>): Promise<T> => {
      await this.letOthersRun()
      const found = await read()
      await this.letOthersRun()
      return found
    }
    const inTurn = <T>(read: () => Promise<T>) => waitFor(reading(read))
    return {
      rows: (after, limit) =>
        after === later?.time
          ? atHand(later.rows.slice(0, limit))
          : inTurn(() => view.rows(object, after, limit)),
      stopBefore: (time) => inTurn(() => view.checkpoint(object, time - 1)),
      recordsFrom: (time) =>
        inTurn(() => view.recordsIn(object, { from: time, to: LAST_TIME }, JOURNEY_TYPES)),
      changesIn: (range) => inTurn(() => view.recordsIn(object, range, ['levels'])),
      changeBefore: (time, attribute) => inTurn(() => view.checkpoint(object, time, attribute)),
    }
  }

  private isPausing(): boolean {
    return this.pausing !== null || performance.now() >= this.turnAt
  }

  /**
   * All objects of the slice pause together and continue in the order in which they came here, so that the ids of their
   * records do not depend on how long something takes.
   */
  private async letOthersRun(): Promise<void> {
    while (this.isPausing()) {
      this.pausing ??= this.pause()
      await this.pausing
    }
  }

  private async pause(): Promise<void> {
    await takeTurn()
    this.turnAt = performance.now() + TURN_MS
    this.pausing = null
  }
}
