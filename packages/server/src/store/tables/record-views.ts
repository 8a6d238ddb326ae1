import { RECORD_TYPES } from '../../domain/change-types.ts'
import type { Work } from '../../tracking/work.ts'
import type { RecordQuery, RecordSelection, RecordView } from '../record-store.ts'
import type { Overlapping, Wanted } from './overlapping.ts'
import { isAsLongAs, recordPages } from './record-pages.ts'
import { recordReads } from './record-reads.ts'
import type { Dialect, Sql, Tables } from './sql.ts'

/** The rows of a view, which each store reads its own way. */
export type TrackRows = Pick<RecordView, 'rows' | 'rowsBefore' | 'rowsBehind'>

function firstOf(object: number, selection: RecordSelection): RecordQuery {
  return { ...selection, objects: [object], after: null, limit: 1 }
}

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER }
const ALL = { places: null, minDuration: 0, after: null, limit: 2 ** 31 - 1 }

/** The derived records of an organization. `read` sees one moment. */
export function recordViews(
  dialect: Dialect,
  overlapping: Overlapping,
): (read: Tables['read'], organization: number, rows: TrackRows) => RecordView {
  const reads = recordReads(dialect)
  const pages = recordPages(dialect, overlapping)

  return (read, organization, rows) => {
    /** The read of this organization, as a method of the view. */
    const ofView =
      <Given extends unknown[], Result>(
        work: (sql: Sql, organization: number, ...given: Given) => Work<Result>,
      ) =>
      (...given: Given) =>
        read((sql) => work(sql, organization, ...given))
    const overlappingIn = (objects: readonly number[], wanted: Wanted) =>
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
      page: (query) => pages(read, organization, query),
      async withRecords({ objects, ...selection }) {
        const wanted = { ...ALL, ...selection, isFirstOnly: true }
        const firsts = Map.groupBy(await overlappingIn(objects, wanted), ({ object }) => object)
        const found: number[] = []
        for (const [object, records] of firsts) {
          // The first record may be too short, because it is under way.
          const isFound =
            records.some((each) => isAsLongAs(each, selection.minDuration)) ||
            (await pages(read, organization, firstOf(object, selection))).length > 0
          if (isFound) found.push(object)
        }
        return found
      },
    }
  }
}
