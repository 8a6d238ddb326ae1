import type { MonitoredObject, ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import { FIX_RECORD_LIMIT } from '../../src/base/domain/position/fix-record.ts'
import type { Step } from '../../src/base/domain/position/fold-state.ts'
import { UNSEEN } from '../../src/base/domain/position/object-state.ts'
import { isWithin, type TimeRange } from '../../src/base/domain/time/time.ts'
import type { FoldTarget, Positions, Tables } from '../../src/engine/tracking/fold-tables.ts'
import { objectShifts } from '../../src/engine/tracking/object-shifts.ts'
import { BEGINNING, refoldSlice, SLICE_POSITIONS } from '../../src/engine/tracking/refold-slice.ts'
import { foldRules } from '../../src/engine/tracking/rules/advance.ts'
import {
  type Owned,
  type PositionRow,
  packRowFold,
  readPosition,
  visibilityAfter,
  writePosition,
} from '../../src/engine/tracking/stored-position.ts'
import { takeBatch } from '../../src/engine/tracking/take-batch.ts'
import { readTrackRows, type TrackRow } from '../../src/engine/tracking/track-row.ts'
import { atHand, runAtOnce } from '../../src/engine/tracking/work.ts'
import { vehicle } from '../drive-trial.ts'
import { handedClock } from '../handed-clock.ts'
import { NOW } from '../store-contract/fixture.ts'
import { rowBlock } from './row-block.ts'

/** An object whose positions are folded by the real rules over tables in memory. */
export class FoldedObject {
  private readonly stored = new Map<number, PositionRow>()
  private times: number[] = []
  private target: FoldTarget
  /** The time after which the fold has to continue. */
  private mark: number | null = null
  private change = 0
  private touched: TimeRange[] = []
  private readonly rules = foldRules(handedClock(NOW * 1_000))
  private readonly tables: Tables

  constructor(settings: Partial<ObjectSettings> = {}) {
    this.target = {
      object: vehicle(settings.accuracy, settings),
      state: UNSEEN,
      shifts: objectShifts([]),
      erased: [],
      erasedValues: new Map(),
      rules: null,
    }
    this.tables = {
      positions: this.positions(),
      shifts: {
        replaceSince: ({ shifts }, since, later) => {
          const all = [...shifts.before(since).all, ...later]
          this.target = { ...this.target, shifts: objectShifts(all) }
        },
      },
      refoldMarks: {
        set: (_organization, _object, after) => {
          this.mark = Math.min(this.mark ?? after, after)
        },
      },
      rejects: { add: () => {} },
      names: () =>
        atHand({
          has: () => true,
          sources: new Set<string>(),
          total: 0,
          free: 0,
          add: () => {},
          save: () => {},
        }),
      notes: {
        position: (_object, time) => this.touch(time),
        rewritten: (_object, time) => this.touch(time),
        shift: (_object, { from }) => this.touch(from),
      },
    }
  }

  append(fixes: readonly Fix[]): void {
    this.change += 1
    const { object } = this.target
    const batch = fixes.map((fix) => ({ object: object.id, fix }))
    const find = () => this.target
    const { tables, change, rules } = this
    const taken = runAtOnce(takeBatch(tables, find, batch, change, rules))
    this.target = taken.touched.get(object.id) ?? this.target
  }

  /** Applies other settings to all positions. */
  recompute(settings: Partial<ObjectSettings>): void {
    const object: MonitoredObject = { ...this.target.object, ...settings }
    this.target = { ...this.target, object }
    this.mark = BEGINNING
  }

  /** Folds the next slice. Returns false if the fold is complete. */
  foldOn(): boolean {
    if (this.mark === null) return false
    this.change += 1
    const { tables, target, change, rules, mark } = this
    const slice = runAtOnce(refoldSlice(tables, target, mark, SLICE_POSITIONS, change, rules))
    if (slice !== null) this.target = slice.target
    this.mark = slice?.unfinishedAfter ?? null
    return true
  }

  /** Returns what the change log says of rows since the last call. */
  takeTouched(): TimeRange[] {
    const { touched } = this
    this.touched = []
    return touched
  }

  /** The rows later than `time`. */
  rows(after: number, limit = Number.POSITIVE_INFINITY): TrackRow[] {
    const first = this.times.findIndex((time) => time > after)
    if (first < 0) return []
    const rows = this.times.slice(first, first + limit).map((time) => this.stored.get(time)!)
    return readTrackRows(rowBlock(rows), this.target.shifts.all)
  }

  /** All that is folded: the rows, the states that are stored with them, and that of the object. */
  folded() {
    const tracks = this.times.map((time) =>
      Buffer.from(this.stored.get(time)!.track).toString('hex'),
    )
    const { attributes: _, ...state } = this.target.state
    return { tracks, rows: this.rows(-1).map(({ attributes: _, ...row }) => row), state }
  }

  private touch(time: number): void {
    this.touched.push({ from: time, to: time })
  }

  private positions(): Positions {
    const read = (owned: Owned, time: number | undefined) => {
      const row = time === undefined ? undefined : this.stored.get(time)
      return row === undefined ? null : readPosition(owned, row)
    }
    return {
      at: (owned, time) => atHand(read(owned, time)),
      before: (owned, time) =>
        atHand(
          read(
            owned,
            this.times.findLast((each) => each < time),
          ),
        ),
      after: (owned, time, limit) => {
        const first = this.times.findIndex((each) => each > time)
        const times = first < 0 ? [] : this.times.slice(first, first + limit)
        return atHand(times.map((each) => read(owned, each)!))
      },
      prepare: () => atHand(undefined),
      newest: (owned, is) => {
        const time = this.times.findLast((each) => is(read(owned, each)!))
        return atHand(read(owned, time))
      },
      insert: (owned, fix, step, change) => {
        this.write(owned, fix, step, visibilityAfter(null, step, change))
        this.times = [...this.stored.keys()].sort((a, b) => a - b)
      },
      replace: (owned, existing, fix, step, change) =>
        this.write(owned, fix, step, visibilityAfter(existing, step, change)),
      remove: (_owned, range) => {
        for (const each of this.times) if (isWithin(range, each)) this.stored.delete(each)
        this.times = [...this.stored.keys()].sort((a, b) => a - b)
      },
    }
  }

  private write(
    owned: Owned,
    fix: Fix,
    step: Step,
    visibility: Pick<PositionRow, 'change' | 'hidden'>,
  ): void {
    const record = Buffer.alloc(FIX_RECORD_LIMIT)
    const length = writePosition(record, owned, fix, step, false)
    const track = packRowFold(step.fold, fix)
    this.stored.set(fix.timeDevice, { fix: record.subarray(0, length), track, ...visibility })
  }
}
