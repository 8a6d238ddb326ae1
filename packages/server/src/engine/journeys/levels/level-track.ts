import type { StoredAttribute } from '../../../base/domain/attributes/attribute-catalogue.ts'
import type { AttributeNames } from '../../../base/domain/position/attribute-section.ts'
import type { OwnedRecord } from '../../store/record-store.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { levelDigest } from './level-digests.ts'
import { LevelFold } from './level-fold.ts'
import { unpackLevelCheckpoint } from './level-progress.ts'
import { levelRows } from './level-source.ts'
import type { LevelCheckpoint, LevelPoint } from './level-state.ts'
import { LevelSpan, type LevelSummary } from './level-sums.ts'
import { levelSettings } from './samples.ts'

/** One level of an object. */
export type ReadLevel = {
  readonly entry: StoredAttribute
  readonly object: number
  readonly names: AttributeNames
  /** The rows of the object from a moment on, in order. */
  rowsFrom(time: number): AsyncIterable<readonly TrackRow[]>
  /** The newest change of the level that began at a moment or before, and that has a checkpoint. */
  changeBefore(time: number): Promise<OwnedRecord | null>
}

/**
 * A level of an object over spans of time, each of which begins where the one before ended, or later. It is smoothed with
 * values after the end of a span, so it reads some rows farther.
 */
export class LevelTrack {
  /** The end of the last span. */
  at: number
  private readonly span = new LevelSpan()
  private readonly points: AsyncIterator<LevelPoint>
  private next: LevelPoint | null = null

  /** `start`: of the first span. */
  constructor(level: ReadLevel, start: number) {
    this.at = start
    this.points = pointsOf(level, start)
  }

  /** The level from a moment to another. Null: it has no value yet. */
  async over(start: number, end: number): Promise<LevelSummary | null> {
    await this.take(start)
    this.span.open()
    await this.take(end)
    this.at = end
    return this.span.close()
  }

  private async take(until: number): Promise<void> {
    this.next ??= await this.following()
    while (this.next !== null && this.next.time <= until) {
      this.span.add(this.next)
      this.next = await this.following()
    }
  }

  private async following(): Promise<LevelPoint | null> {
    const { done, value } = await this.points.next()
    return done === true ? null : value
  }
}

/** The levels of an object, from one at or before a moment on. */
async function* pointsOf(level: ReadLevel, start: number): AsyncGenerator<LevelPoint> {
  const { entry, object, names } = level
  const begun = await checkpointBefore(level, start)
  if (begun?.cut) {
    const { time, level: before } = begun.cut
    yield { time, level: before, filled: 0, drained: 0 }
  }
  const fold = new LevelFold(levelSettings(entry, object), begun)
  const rowOf = levelRows(entry, object, names)
  for await (const chunk of level.rowsFrom(begun?.time ?? 0)) {
    for (const row of chunk) yield* fold.add(rowOf(row)).points
  }
  yield* fold.tail().points
}

/** The checkpoint after the newest change of the level that ended at a moment or before. Null: there is none. */
async function checkpointBefore(
  { entry, object, changeBefore }: ReadLevel,
  start: number,
): Promise<LevelCheckpoint | null> {
  const digest = levelDigest(entry, object)
  for (let latest = start; ; ) {
    const found = await changeBefore(latest)
    if (found === null) return null
    const { record, checkpoint } = found
    const kept = record.until <= start ? unpackLevelCheckpoint(checkpoint!, digest) : null
    if (kept !== null) return kept
    latest = record.start - 1
  }
}
