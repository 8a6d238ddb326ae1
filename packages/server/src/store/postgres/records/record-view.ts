import { RECORD_TYPES } from '../../../domain/change-types.ts'
import { inSlices } from '../../in-slices.ts'
import type { RecordView } from '../../record-store.ts'
import type { Connection } from '../database.ts'
import { readProgress, recordReads } from './record-reads.ts'
import { firstTrackRows, lastTrackRows, trackRowsBehind } from './track-rows.ts'

/** Rows that one statement reads. */
const SLICE_ROWS = 2_000

/** The derived records of an organization, over a transaction that sees one moment. */
export function recordView(connection: Connection, organization: number): RecordView {
  const reads = recordReads(connection, organization)
  return {
    progress: async () =>
      (await readProgress(connection, [organization])).get(organization) ?? null,
    rows: (object, after, limit) =>
      inSlices(limit, SLICE_ROWS, (size, last) =>
        firstTrackRows(connection, organization, object, last?.time ?? after, size),
      ),
    rowsBefore: (object, before, limit) =>
      lastTrackRows(connection, organization, object, before, limit),
    rowsBehind: (after) => trackRowsBehind(connection, organization, after),
    tails: reads.tails,
    openRecords: reads.open,
    async recordsIn(object, range) {
      const found = await Promise.all(
        RECORD_TYPES.map((type) => reads.overlapping([object], { ...ALL, type, range })),
      )
      return found.flat()
    },
    segments: reads.segments,
    visitsTo: (places, objects) =>
      reads.overlapping(objects, { ...ALL, type: 'visits', places, range: ALWAYS }),
    checkpoint: reads.checkpoint,
    tasks: reads.tasks,
    records: reads.find,
    recordsOf(type, objects, range, after, limit) {
      const left = after === null ? objects : objects.filter((object) => object >= after.object)
      return reads.overlapping(left, { ...ALL, type, range, after, limit })
    },
  }
}

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER }
const ALL = { places: null, minDuration: 0, after: null, limit: 2 ** 31 - 1 }
