import type { ObjectSettings } from '../../src/base/domain/monitored-object.ts'
import type { DerivedRecord } from '../../src/base/domain/record.ts'
import type { TimeRange } from '../../src/base/domain/time/time.ts'
import { derive } from '../../src/engine/journeys/rules/derive.ts'
import type { PlaceIndex } from '../../src/engine/journeys/rules/place-index.ts'
import type { Derived, Progress, RecordSource } from '../../src/engine/journeys/rules/progress.ts'
import { progressOf, tailOf } from '../../src/engine/journeys/rules/progress-form.ts'
import { atHand, runAtOnce } from '../../src/engine/tracking/work.ts'
import { NOW } from '../store-contract/fixture.ts'
import { FoldedObject } from './folded-object.ts'
import { RecordTable } from './record-table.ts'

/** An object whose records are derived after its positions have changed, over tables in memory. */
export class DerivedObject {
  readonly object: FoldedObject
  readonly table = new RecordTable()
  private touched: TimeRange[] = []
  private derivations = 0
  private progress: Progress | null = null
  private readonly source: RecordSource

  constructor(settings: Partial<ObjectSettings> = {}) {
    const object = new FoldedObject(settings)
    const { table } = this
    this.object = object
    this.source = {
      rows: (after, most) => atHand(object.rows(after, most)),
      stopBefore: (time) => atHand(table.stopBefore(time)),
      recordsFrom: (time) => atHand(table.recordsFrom(time)),
    }
  }

  /** Notes that the records of a range have to be derived. */
  touch(range: TimeRange): void {
    this.touched.push(...this.object.takeTouched(), range)
  }

  isDone(): boolean {
    this.touched.push(...this.object.takeTouched())
    return this.touched.length === 0
  }

  /** Derives about `limit` rows. A change of the object may leave nothing to derive. */
  derive(places: PlaceIndex, limit: number): Derived {
    this.touched.push(...this.object.takeTouched())
    const { source, touched, table } = this
    // Half of the derivations continue in memory, the others what a store has kept.
    this.derivations += 1
    const tail = this.progress && tailOf(this.progress)
    const progress = tail && this.derivations % 2 === 0 ? progressOf(tail) : this.progress
    const nextId = () => table.nextId()
    const derived = runAtOnce(
      derive({ ...{ source, progress, touched, places, nextId, limit }, now: NOW }),
    )
    table.apply(derived)
    table.checkTail(derived.progress)
    this.progress = derived.progress
    this.touched = derived.unfinished
    return derived
  }

  /** The records of a kind in the order of their starts. */
  records<Kind extends DerivedRecord['kind']>(kind: Kind) {
    return this.table
      .all()
      .filter(({ record }) => record.kind === kind)
      .map(({ id, revision, record }) => ({
        id,
        revision,
        record: record as Extract<DerivedRecord, { kind: Kind }>,
      }))
      .sort((a, b) => a.record.start - b.record.start)
  }
}
