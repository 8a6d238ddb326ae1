import { RECORD_TYPES } from '../../change-entries.ts'
import { inSlices } from '../../in-slices.ts'
import type { RecordView } from '../../record-store.ts'
import type { Connection } from '../database.ts'
import { readProgress, recordReads } from './record-reads.ts'
import { trackRows } from './track-rows.ts'

/** Rows and records that one statement reads. */
const SLICE_ROWS = 2_000
const SLICE_RECORDS = 500

/** The derived records of an organization, over a transaction that sees one moment. */
export function recordView(connection: Connection, organization: number): RecordView {
  const reads = recordReads(connection, organization)
  return {
    progress: async () =>
      (await readProgress(connection, [organization])).get(organization) ?? null,
    rows: (object, after, limit) =>
      inSlices(limit, SLICE_ROWS, (size, last) =>
        trackRows(connection, organization, object, last?.time ?? after, size),
      ),
    tails: reads.tails,
    openRecords: reads.open,
    async recordsIn(object, range) {
      const found = await Promise.all(
        RECORD_TYPES.map((type) => reads.overlapping([object], { ...ALL, type, range })),
      )
      return found.flat()
    },
    checkpoint: reads.checkpoint,
    tasks: reads.tasks,
    records: reads.find,
    recordsAfter: (type, after, limit) =>
      inSlices(limit, SLICE_RECORDS, (size, last) => reads.after(type, last?.id ?? after, size)),
  }
}

const ALL = { places: null, minDuration: 0, after: null, limit: 2 ** 31 - 1 }
