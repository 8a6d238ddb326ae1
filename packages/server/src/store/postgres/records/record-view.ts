import { RECORD_TYPES } from '../../change-entries.ts'
import { inSlices } from '../../in-slices.ts'
import { recordsById } from '../../record-pages.ts'
import type { RecordView } from '../../record-store.ts'
import type { Connection } from '../database.ts'
import { readProgress, recordReads } from './record-reads.ts'
import { firstTrackRows, lastTrackRows, trackRowsBehind } from './track-rows.ts'

/** Rows that one statement reads. */
const SLICE_ROWS = 2_000

/** The derived records of an organization, over a transaction that sees one moment. */
export function recordView(connection: Connection, organization: number): RecordView {
  const reads = recordReads(connection, organization)
  const progress = async () =>
    (await readProgress(connection, [organization])).get(organization) ?? null
  return {
    progress,
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
    visitsTo: (placeType, place, objects) => {
      const none = { geofences: [], sites: [] }
      const places = { ...none, [placeType === 'geofence' ? 'geofences' : 'sites']: [place] }
      return reads.overlapping(objects, { ...ALL, type: 'visits', places, range: ALWAYS })
    },
    checkpoint: reads.checkpoint,
    tasks: reads.tasks,
    records: reads.find,
    async recordsAfter(type, after, limit) {
      const { lastId } = (await progress()) ?? { lastId: 0 }
      return recordsById(after, lastId, limit, (from, to, size) =>
        reads.between(type, from, to, size),
      )
    },
  }
}

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER }
const ALL = { places: null, minDuration: 0, after: null, limit: 2 ** 31 - 1 }
