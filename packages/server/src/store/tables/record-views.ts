import { RECORD_TYPES } from '../../domain/change-types.ts'
import type { Work } from '../../fold/work.ts'
import type { OwnedRecord, RecordQuery, RecordView } from '../record-store.ts'
import { recordReads } from './record-reads.ts'
import type { Dialect, Sql, Tables } from './sql.ts'

/**
 * The selected records of some objects, by object, start, kind and place, after a place. Those under way have any
 * duration, because their rows do not know it. Each store reads them its own way.
 */
export type Overlapping = (
  read: Tables['read'],
  organization: number,
  objects: readonly number[],
  wanted: Omit<RecordQuery, 'objects'>,
) => Promise<OwnedRecord[]>

/** The rows of a view, which each store reads its own way. */
export type TrackRows = Pick<RecordView, 'rows' | 'rowsBefore' | 'rowsBehind'>

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER }
const ALL = { places: null, minDuration: 0, after: null, limit: 2 ** 31 - 1 }

/** The derived records of an organization. `read` sees one moment. */
export function recordViews(
  dialect: Dialect,
  overlapping: Overlapping,
): (read: Tables['read'], organization: number, rows: TrackRows) => RecordView {
  const reads = recordReads(dialect)

  return (read, organization, rows) => {
    /** The read of this organization, as a method of the view. */
    const ofView =
      <Given extends unknown[], Result>(
        work: (sql: Sql, organization: number, ...given: Given) => Work<Result>,
      ) =>
      (...given: Given) =>
        read((sql) => work(sql, organization, ...given))
    const overlappingIn = (objects: readonly number[], wanted: Omit<RecordQuery, 'objects'>) =>
      overlapping(read, organization, objects, wanted)

    return {
      ...rows,
      async progress() {
        const found = await read((sql) => reads.progress(sql, [organization]))
        return found.get(organization) ?? null
      },
      tails: ofView(reads.tails),
      openRecords: ofView(reads.openRecords),
      segments: ofView(reads.segments),
      checkpoint: ofView(reads.checkpoint),
      tasks: ofView(reads.tasks),
      records: ofView(reads.records),
      async recordsIn(object, range) {
        const found = await Promise.all(
          RECORD_TYPES.map((type) => overlappingIn([object], { ...ALL, type, range })),
        )
        return found.flat()
      },
      visitsTo: (places, objects) =>
        overlappingIn(objects, { ...ALL, type: 'visits', places, range: ALWAYS }),
      recordsOf(type, objects, range, after, limit) {
        const left = after === null ? objects : objects.filter((object) => object >= after.object)
        return overlappingIn(left, { ...ALL, type, range, after, limit })
      },
    }
  }
}
