import type { StoredAttribute } from '../../../base/domain/attributes/attribute-catalogue.ts'
import { MappedValues } from '../../../base/domain/attributes/takers.ts'
import type { AttributeNames } from '../../../base/domain/position/attribute-section.ts'
import type { LevelChange, StoredRecord } from '../../../base/domain/record.ts'
import { LAST_TIME, type TimeRange } from '../../../base/domain/time/time.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import type { Work } from '../../tracking/work.ts'
import type { RecordSource } from '../rules/progress.ts'
import type { LevelSource } from './derive-levels.ts'
import { unpackLevelCheckpoint } from './level-progress.ts'
import type { SettledEvent } from './level-state.ts'
import type { LevelRow } from './samples.ts'

/** One object's rows, and its changes of levels, as a store reads them. */
export type LevelRecords = Pick<RecordSource, 'rows'> & {
  /** The changes of all levels that overlap a range. */
  changesIn(range: TimeRange): Work<readonly StoredRecord[]>
  /** The newest change of a level that began at a time or before, and that has a checkpoint. */
  changeBefore(time: number, attribute: number): Work<StoredRecord | null>
}

/** The rows and the stored changes of one level. */
export function levelSource(
  records: LevelRecords,
  entry: StoredAttribute,
  digest: string,
  levelRow: (row: TrackRow) => LevelRow,
): LevelSource {
  return {
    *rows(from, limit) {
      return (yield* records.rows(from - 1, limit)).map(levelRow)
    },
    *eventsFrom(time) {
      const stored = yield* records.changesIn({ from: time, to: LAST_TIME })
      return stored
        .filter(({ record }) => isOf(record, entry) && record.until >= time)
        .flatMap((stored) => settled(stored, digest))
    },
    *eventBefore(time) {
      for (let latest = time; ; ) {
        const found = yield* records.changeBefore(latest, entry.id)
        if (found === null) return null
        const [event] = settled(found, digest)
        if (event !== undefined && event.checkpoint.settledAt < time) return event
        latest = found.record.start - 1
      }
    },
  }
}

/** The rows of a level, from the stored rows of an object in any order. */
export function levelRows(
  entry: StoredAttribute,
  object: number,
  names: AttributeNames,
): (row: TrackRow) => LevelRow {
  const { values, clear, take } = new MappedValues([entry], object, names, true)
  return ({ time, motion, silence, attributes }) => {
    clear()
    attributes?.(take)
    const value = (values[0] as number | undefined) ?? null
    return { time, value, motion, hasDriven: silence?.before === 'trip' }
  }
}

function isOf(record: StoredRecord['record'], { id }: StoredAttribute): record is LevelChange {
  return record.kind === 'level' && record.attribute === id
}

/** The event of a stored change. None: it is not settled, or is of other settings. */
function settled({ record, checkpoint: packed }: StoredRecord, digest: string): SettledEvent[] {
  if (record.kind !== 'level' || packed === null) return []
  const checkpoint = unpackLevelCheckpoint(packed, digest)
  if (checkpoint === null) return []
  const { change: kind, start, until: end, before, after, reach } = record
  return [{ kind, start, end, before, after, reach, checkpoint }]
}
